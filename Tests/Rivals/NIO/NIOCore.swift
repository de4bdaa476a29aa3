// Signatures of swift-nio 2.101.2 that the contender and the operations use; nothing of it runs.

public protocol EventLoop: AnyObject, Sendable { func execute(_ task: @escaping @Sendable () -> Void) }

extension EventLoop {
  public func submit<Value>(_ task: @escaping @Sendable () throws -> Value) -> EventLoopFuture<Value> {
    fatalError()
  }
  public func flatSubmit<Value: Sendable>(
    _ task: @escaping @Sendable () -> EventLoopFuture<Value>
  ) -> EventLoopFuture<Value> { fatalError() }
  public func makePromise<Value>(of type: Value.Type = Value.self) -> EventLoopPromise<Value> { fatalError() }
  public func makeFailedFuture<Value>(_ error: any Error) -> EventLoopFuture<Value> { fatalError() }
  public func makeSucceededVoidFuture() -> EventLoopFuture<Void> { fatalError() }
}

public struct EventLoopPromise<Value>: Sendable {
  public let futureResult: EventLoopFuture<Value>

  public func succeed(_ value: Value) where Value: Sendable {}
  public func completeWith(_ result: Result<Value, any Error>) where Value: Sendable {}
}

public final class EventLoopFuture<Value>: @unchecked Sendable {
  public func flatMap<New: Sendable>(
    _ callback: @escaping @Sendable (Value) -> EventLoopFuture<New>
  ) -> EventLoopFuture<New> { fatalError() }
  public func map<New>(_ callback: @escaping @Sendable (Value) -> New) -> EventLoopFuture<New> {
    fatalError()
  }
  public func and<Other: Sendable>(_ other: EventLoopFuture<Other>) -> EventLoopFuture<(Value, Other)> {
    fatalError()
  }
  public func whenComplete(_ callback: @escaping @Sendable (Result<Value, any Error>) -> Void) {}
  public func wait() throws -> Value where Value: Sendable { fatalError() }
  public func assumeIsolated() -> Isolated { fatalError() }

  public static func whenAllSucceed(
    _ futures: [EventLoopFuture<Value>], on eventLoop: any EventLoop
  ) -> EventLoopFuture<[Value]> where Value: Sendable { fatalError() }
  public static func andAllSucceed(
    _ futures: [EventLoopFuture<Value>], on eventLoop: any EventLoop
  ) -> EventLoopFuture<Void> { fatalError() }

  public struct Isolated {
    public func flatMap<New: Sendable>(
      _ callback: @escaping (Value) -> EventLoopFuture<New>
    ) -> EventLoopFuture<New>.Isolated { fatalError() }
    public func map<New>(_ callback: @escaping (Value) -> New) -> EventLoopFuture<New>.Isolated {
      fatalError()
    }
    public func whenSuccess(_ callback: @escaping (Value) -> Void) {}
    public func nonisolated() -> EventLoopFuture<Value> { fatalError() }
  }
}

@available(*, unavailable)
extension EventLoopFuture.Isolated: Sendable {}
