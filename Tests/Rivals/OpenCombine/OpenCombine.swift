// Signatures of OpenCombine 0.14.0 that the contender and the operations use, with one type for all operators; nothing of
// it runs.

public protocol Cancellable { func cancel() }

public final class AnyCancellable: Cancellable { public func cancel() {} }

public enum Subscribers {
  public enum Completion<Failure: Error> {
    case finished
    case failure(Failure)
  }
  public struct Demand {
    public static let unlimited = Demand()
    public static func max(_ value: Int) -> Demand { fatalError() }
  }
}

public protocol Publisher<Output, Failure> {
  associatedtype Output
  associatedtype Failure: Error
}

public struct AnyPublisher<Output, Failure: Error>: Publisher {}

public struct Just<Output>: Publisher {
  public typealias Failure = Never
  public init(_ output: Output) {}
}

public final class Future<Output, Failure: Error>: Publisher {
  public typealias Promise = (Result<Output, Failure>) -> Void
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {}
}

public struct Deferred<Made: Publisher>: Publisher {
  public typealias Output = Made.Output
  public typealias Failure = Made.Failure
  public init(createPublisher: @escaping () -> Made) {}
}

public final class PassthroughSubject<Output, Failure: Error>: Publisher {
  public init() {}
  public func send(_ input: Output) {}
  public func send(completion: Subscribers.Completion<Failure>) {}
}

extension Sequence { public var publisher: AnyPublisher<Element, Never> { fatalError() } }

extension Publisher {
  public func map<New>(_ transform: @escaping (Output) -> New) -> AnyPublisher<New, Failure> { fatalError() }
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> AnyPublisher<Output, Failure> {
    fatalError()
  }
  public func flatMap<Child: Publisher<New, Failure>, New>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> Child
  ) -> AnyPublisher<New, Failure> { fatalError() }
  public func collect() -> AnyPublisher<[Output], Failure> { fatalError() }
  public func handleEvents(
    receiveOutput: ((Output) -> Void)? = nil, receiveCancel: (() -> Void)? = nil
  ) -> AnyPublisher<Output, Failure> { fatalError() }
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { fatalError() }
  public func sink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable { fatalError() }

  public func zip<B: Publisher, New>(
    _ b: B, _ transform: @escaping (Output, B.Output) -> New
  ) -> AnyPublisher<New, Failure> where B.Failure == Failure { fatalError() }
  public func zip<B: Publisher, C: Publisher>(
    _ b: B, _ c: C
  ) -> AnyPublisher<(Output, B.Output, C.Output), Failure> where B.Failure == Failure, C.Failure == Failure {
    fatalError()
  }
  public func zip<B: Publisher, C: Publisher, New>(
    _ b: B, _ c: C, _ transform: @escaping (Output, B.Output, C.Output) -> New
  ) -> AnyPublisher<New, Failure> where B.Failure == Failure, C.Failure == Failure { fatalError() }
  public func zip<B: Publisher, C: Publisher, D: Publisher, New>(
    _ b: B, _ c: C, _ d: D, _ transform: @escaping (Output, B.Output, C.Output, D.Output) -> New
  ) -> AnyPublisher<New, Failure>
  where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure { fatalError() }
}

extension Publisher where Failure == Never {
  public func flatMap<Child: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> Child
  ) -> AnyPublisher<Child.Output, Child.Failure> { fatalError() }
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable { fatalError() }
}
