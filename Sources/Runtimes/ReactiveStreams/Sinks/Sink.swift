extension Publisher {
  /// Requests all values and passes them, then the end, to closures until the returned object is cancelled or released.
  ///
  /// The closures run on the sending threads, never two at a time, and not after a cancellation on the same thread.
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
  /// Requests all values and passes them to a closure until the returned object is cancelled or released.
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
  /// Marks the stream as ended before it passes the value on, so that the receiver of the value cannot cancel the stream.
  @inlinable mutating func receive(last input: Input) {
    guard slot.end() else { return }
    receiveValue(input)
    if !slot.isCancelled { receiveCompletion(.finished) }
  }
}

extension Publisher where Failure == any Error {
  /// Passes the first value, the failure or the cancellation to a closure, once. The caller may discard the returned object.
  @inlinable @discardableResult public func subscribe(
    receiveResult: @escaping @Sendable (Result<Output, any Error>) -> Void
  ) -> Subscribers.ResultSink<Output> {
    let sink = Subscribers.ResultSink(receiveResult)
    receive(subscriber: sink)
    return sink
  }

  /// Passes the first value, the failure or the cancellation to a closure, once. Releasing the result cancels the stream.
  @inlinable
  public func sink(receiveResult: @escaping @Sendable (Result<Output, any Error>) -> Void) -> AnyCancellable {
    AnyCancellable(subscribe(receiveResult: receiveResult))
  }

  /// The first value. Throws the failure, `EmptyStreamError` if there is no value, or `CancellationError` if the task is
  /// cancelled, which also cancels the stream.
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

/// The error if a stream finishes without a value although a value is required.
public struct EmptyStreamError: Error, Equatable {
  /// Creates the error.
  @inlinable public init() {}
}

extension Subscribers {
  /// A subscriber that passes the result of a stream to a callback. Its owner can cancel it.
  ///
  /// The result of a stream without a value is `EmptyStreamError`. The result of a cancellation is `CancellationError`, which
  /// is delivered after all upstream publishers have stopped sending, so no work starts after it.
  ///
  /// `@unchecked Sendable`: only the one call that marks the stream as ended touches `receiveResult`.
  public final class ResultSink<Input: Sendable>: Subscriber, Subscription, @unchecked Sendable {
    @usableFromInline let slot = SubscriptionSlot()
    @usableFromInline @exclusivity(unchecked)
    var receiveResult: (@Sendable (Result<Input, any Error>) -> Void)?

    /// Creates a sink that calls the closure once, on the thread that ends or cancels the stream.
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
  /// The first value. See `value` of a publisher whose `Failure` is `any Error`.
  public var value: Output { get async throws { try await mapError { $0 as any Error }.value } }
}
