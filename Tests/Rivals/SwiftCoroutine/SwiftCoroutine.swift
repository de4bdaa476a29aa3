// Signatures of SwiftCoroutine 2.1.11 that the contender and the operations use; nothing of it runs.
public import Dispatch

public protocol CoroutineScheduler { func scheduleTask(_ task: @escaping () -> Void) }

extension DispatchQueue: CoroutineScheduler { public func scheduleTask(_ task: @escaping () -> Void) {} }

extension CoroutineScheduler {
  public func startCoroutine(in scope: CoScope? = nil, task: @escaping () throws -> Void) {}
}

public struct Coroutine {
  public static func start(_ task: @escaping () throws -> Void) {}
  public static func await(_ callback: (@escaping () -> Void) -> Void) throws {}
  public static func await<T>(_ callback: (@escaping (T) -> Void) -> Void) throws -> T { fatalError() }
}

public enum CoFutureError: Error {
  case canceled
}

public protocol CoCancellable: AnyObject { func cancel() }

extension CoCancellable { @discardableResult public func added(to scope: CoScope) -> Self { fatalError() } }

public final class CoScope: CoCancellable {
  public init() {}
  public var isCanceled: Bool { fatalError() }
  public func cancel() {}
}

public class CoFuture<Value>: CoCancellable {
  public init(result: Result<Value, any Error>) {}
  public func await() throws -> Value { fatalError() }
  public func map<T>(_ transform: @escaping (Value) throws -> T) -> CoFuture<T> { fatalError() }
  public func whenComplete(_ callback: @escaping () -> Void) {}
  public func whenSuccess(_ callback: @escaping (Value) -> Void) {}
  public func whenCanceled(_ callback: @escaping () -> Void) {}
  public func cancel() {}
}

public final class CoPromise<Value>: CoFuture<Value> {
  public init() { fatalError() }
  public func success(_ value: Value) {}
  public func complete<E: Error>(with result: Result<Value, E>) {}
}

public final class CoChannel<T>: CoCancellable {
  public init(capacity: Int) {}
  @discardableResult public func offer(_ value: T) -> Bool { fatalError() }
  public func awaitSend(_ value: T) throws {}
  public func awaitReceive() throws -> T { fatalError() }
  public func makeIterator() -> AnyIterator<T> { fatalError() }
  @discardableResult public func close() -> Bool { fatalError() }
  public func cancel() {}
}
