extension Publisher where Failure == any Error {
  /// Hands the first value, the failure, or the cancellation to a closure: exactly one of them, once.
  ///
  /// Meant for the edge to code that is written with callbacks. A stream that finishes without a value is an
  /// `EmptyStreamError`; a cancellation, also by dropping the result, is a `CancellationError`, delivered by
  /// the thread that cancels.
  @inlinable
  public func sink(
    receiveResult: @escaping @Sendable (Result<Output, any Error>) -> Void
  ) -> AnyCancellable {
    let sink = ResultSink(receiveResult)
    receive(subscriber: sink)
    return AnyCancellable(sink)
  }
}

/// A stream that had to have a value finished without one.
public struct EmptyStreamError: Error, Equatable {
  @inlinable public init() {}
}

/// Both ends of the stream: it takes the signals, and its owner cancels it.
///
/// `@unchecked Sendable`: `receiveResult` belongs to the one call that ends the slot.
@usableFromInline
final class ResultSink<Input: Sendable>: Subscriber, Subscription, @unchecked Sendable {
  @usableFromInline let slot = SubscriptionSlot()
  @usableFromInline @exclusivity(unchecked)
  var receiveResult: (@Sendable (Result<Input, any Error>) -> Void)?

  @inlinable
  init(_ receiveResult: @escaping @Sendable (Result<Input, any Error>) -> Void) {
    self.receiveResult = receiveResult
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if slot.keep(subscription) { subscription.request(.max(1)) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    if slot.endAndCancel() { deliver(.success(input)) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<any Error>) {
    guard slot.end() else { return }
    switch completion {
    case .finished: deliver(.failure(EmptyStreamError()))
    case .failure(let error): deliver(.failure(error))
    }
  }

  @inlinable
  func receive(last input: Input) {
    if slot.end() { deliver(.success(input)) }
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {}

  @inlinable
  func cancel() {
    if slot.endAndCancel() { deliver(.failure(CancellationError())) }
  }

  @inlinable
  func deliver(_ result: Result<Input, any Error>) { receiveResult.take()?(result) }
}
