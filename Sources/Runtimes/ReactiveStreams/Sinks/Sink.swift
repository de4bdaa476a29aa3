extension Publisher {
  /// Requests all values and passes them, then the end, to closures until the result is cancelled or dropped.
  ///
  /// They run on the sending threads, never two at a time, and not after a cancellation from the same thread.
  @inlinable public func sink(
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> AnyCancellable {
    let slot = SubscriptionSlot()
    receive(
      subscriber: SinkSubscriber(
        slot: slot, receiveValue: receiveValue, receiveCompletion: receiveCompletion))
    return AnyCancellable(slot)
  }
}

extension Publisher where Failure == Never {
  /// Requests all values and passes them to a closure until the result is cancelled or dropped.
  @inlinable public func sink(receiveValue: @escaping @Sendable (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}

@usableFromInline struct SinkSubscriber<Input: Sendable, Failure: Error>: Subscriber {
  @usableFromInline let slot: SubscriptionSlot
  @usableFromInline let receiveValue: @Sendable (Input) -> Void
  @usableFromInline let receiveCompletion: @Sendable (Subscribers.Completion<Failure>) -> Void

  @inlinable init(
    slot: SubscriptionSlot, receiveValue: @escaping @Sendable (Input) -> Void,
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void
  ) {
    self.slot = slot
    self.receiveValue = receiveValue
    self.receiveCompletion = receiveCompletion
  }

  @inlinable mutating func receive(subscription: any Subscription) {
    if slot.keep(subscription) { subscription.request(.unlimited) }
  }
  @inlinable mutating func receive(_ input: Input) -> Subscribers.Demand {
    if !slot.isEnded { receiveValue(input) }
    return .none
  }
  @inlinable mutating func receive(completion: Subscribers.Completion<Failure>) {
    if slot.end() { receiveCompletion(completion) }
  }
  /// Ends first: nothing that the value causes, on any thread, can cancel any more.
  @inlinable mutating func receive(last input: Input) {
    guard slot.end() else { return }
    receiveValue(input)
    if !slot.isCancelled { receiveCompletion(.finished) }
  }
}

extension Publisher where Failure == any Error {
  /// Passes the first value, the failure, or the cancellation to a closure, once, whether or not the sink is kept.
  @inlinable @discardableResult public func subscribe(
    receiveResult: @escaping @Sendable (Result<Output, any Error>) -> Void
  ) -> Subscribers.ResultSink<Output> {
    let sink = Subscribers.ResultSink(receiveResult)
    receive(subscriber: sink)
    return sink
  }

  /// Passes the first value, the failure, or the cancellation to a closure, once; cancels when it is dropped.
  @inlinable
  public func sink(receiveResult: @escaping @Sendable (Result<Output, any Error>) -> Void) -> AnyCancellable {
    AnyCancellable(subscribe(receiveResult: receiveResult))
  }

  /// The first value; throws the failure, `EmptyStreamError` when there is none, and `CancellationError` when the task is
  /// cancelled, which cancels the stream.
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

/// A stream finished without a value, although one was required.
public struct EmptyStreamError: Error, Equatable {
  /// Thrown where a value of a stream is required.
  @inlinable public init() {}
}

extension Subscribers {
  /// The link to code with callbacks: receives the signals, and its owner cancels it.
  ///
  /// A stream that finishes without a value is an `EmptyStreamError`; a cancellation is a `CancellationError`, delivered when
  /// everything upstream has stopped sending, so nothing starts after it.
  ///
  /// `@unchecked Sendable`: `receiveResult` belongs to the one call that ends the slot.
  public final class ResultSink<Input: Sendable>: Subscriber, Subscription, @unchecked Sendable {
    @usableFromInline let slot = SubscriptionSlot()
    @usableFromInline @exclusivity(unchecked)
    var receiveResult: (@Sendable (Result<Input, any Error>) -> Void)?

    /// Calls the closure once, on the thread that ends the stream or cancels it.
    @inlinable public init(_ receiveResult: @escaping @Sendable (Result<Input, any Error>) -> Void) {
      self.receiveResult = receiveResult
    }

    @inlinable public func receive(subscription: any Subscription) {
      if slot.keep(subscription) { subscription.request(.max(1)) }
    }

    @inlinable public func receive(_ input: Input) -> Subscribers.Demand {
      if slot.endAndCancel() { deliver(.success(input)) }
      return .none
    }

    @inlinable public func receive(completion: Subscribers.Completion<any Error>) {
      if slot.end() { deliver(.failure(completion.error ?? EmptyStreamError())) }
    }

    @inlinable public func receive(last input: Input) { if slot.end() { deliver(.success(input)) } }

    @inlinable public func request(_ demand: Subscribers.Demand) {}

    @inlinable public func cancel() { slot.endAndCancel { self.deliver(.failure(CancellationError())) } }

    @inlinable func deliver(_ result: Result<Input, any Error>) { receiveResult.take()?(result) }
  }
}

extension Publisher {
  /// The first value of a publisher with any type of failure. See `value` of one that fails with any error.
  public var value: Output { get async throws { try await mapError { $0 as any Error }.value } }
}
