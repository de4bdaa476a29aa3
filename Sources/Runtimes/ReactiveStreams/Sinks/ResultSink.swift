extension Publisher where Failure == any Error {
  /// Hands the first value, the failure, or the cancellation to a closure, once, whether or not the sink is kept.
  @inlinable
  @discardableResult
  public func subscribe(
    receiveResult: @escaping @Sendable (Result<Output, any Error>) -> Void
  ) -> Subscribers.ResultSink<Output> {
    let sink = Subscribers.ResultSink(receiveResult)
    receive(subscriber: sink)
    return sink
  }

  /// Hands the first value, the failure, or the cancellation to a closure, once; cancels when it is dropped.
  @inlinable
  public func sink(receiveResult: @escaping @Sendable (Result<Output, any Error>) -> Void) -> AnyCancellable {
    AnyCancellable(subscribe(receiveResult: receiveResult))
  }

  /// The first value; throws the failure, `EmptyStreamError` when there is none, and `CancellationError` when the
  /// task is cancelled, which cancels the stream.
  public var value: Output {
    get async throws {
      let canceller = SubscriptionSlot()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let sink = subscribe { continuation.resume(with: $0) }
          _ = canceller.keep(sink)
        }
      } onCancel: {
        canceller.cancel()
      }
    }
  }
}

/// A stream that had to have a value finished without one.
public struct EmptyStreamError: Error, Equatable {
  /// Thrown by whoever waits for a value of a stream.
  @inlinable public init() {}
}

extension Subscribers {
  /// The edge to code that is written with callbacks: takes the signals, and its owner cancels it.
  ///
  /// A stream that finishes without a value is an `EmptyStreamError`; a cancellation is a `CancellationError`,
  /// delivered when nothing upstream is under way any more, so nothing starts after it.
  ///
  /// `@unchecked Sendable`: `receiveResult` belongs to the one call that ends the slot.
  public final class ResultSink<Input: Sendable>: Subscriber, Subscription, @unchecked Sendable {
    @usableFromInline let slot = SubscriptionSlot()
    @usableFromInline @exclusivity(unchecked)
    var receiveResult: (@Sendable (Result<Input, any Error>) -> Void)?

    /// Calls the closure once, on the thread that ends the stream or cancels it.
    @inlinable
    public init(_ receiveResult: @escaping @Sendable (Result<Input, any Error>) -> Void) {
      self.receiveResult = receiveResult
    }

    @inlinable
    public func receive(subscription: any Subscription) {
      if slot.keep(subscription) { subscription.request(.max(1)) }
    }

    @inlinable
    public func receive(_ input: Input) -> Subscribers.Demand {
      if slot.endAndCancel() { deliver(.success(input)) }
      return .none
    }

    @inlinable
    public func receive(completion: Subscribers.Completion<any Error>) {
      if slot.end() { deliver(.failure(completion.error ?? EmptyStreamError())) }
    }

    @inlinable public func receive(last input: Input) { if slot.end() { deliver(.success(input)) } }

    @inlinable public func request(_ demand: Subscribers.Demand) {}

    @inlinable public func cancel() { slot.endAndCancel { self.deliver(.failure(CancellationError())) } }

    @inlinable func deliver(_ result: Result<Input, any Error>) { receiveResult.take()?(result) }
  }
}

extension Publisher where Failure == Never {
  /// The first value. See `value` of a publisher that fails.
  public var value: Output { get async throws { try await setFailureType(to: (any Error).self).value } }
}
