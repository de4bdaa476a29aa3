import Synchronization

/// A publisher's values as an asynchronous sequence: each iterator subscribes, and asks for one value at a time.
public struct AsyncPublisher<P: Publisher>: AsyncSequence {
  public typealias Element = P.Output

  let publisher: P

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let pull: Pull<P.Output, P.Failure>
    private let cancellable: AnyCancellable

    init(_ publisher: P) {
      let pull = Pull<P.Output, P.Failure>()
      publisher.subscribe(pull)
      self.pull = pull
      cancellable = AnyCancellable { pull.cancel() }
    }

    /// The next value; `nil` at the end and when the task is cancelled, which cancels the stream.
    public mutating func next() async throws -> P.Output? {
      try await withTaskCancellationHandler { [pull] in
        try await pull.next()
      } onCancel: { [pull] in
        pull.cancel()
      }
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(publisher) }
}

extension Publisher {
  /// The values as an asynchronous sequence that throws the failure.
  public var values: AsyncPublisher<Self> { AsyncPublisher(publisher: self) }
}

/// Turns pulls into requests. One pull is under way at a time.
private final class Pull<Input: Sendable, Failure: Error>: Subscriber {
  private struct State {
    var subscription: (any Subscription)?
    var continuation: CheckedContinuation<Input?, any Error>?
    var end: Result<Input?, any Error>?
  }

  private let state = Mutex(State())

  func next() async throws -> Input? {
    try await withCheckedThrowingContinuation { continuation in
      let (end, subscription) = state.withLock { state -> (Result<Input?, any Error>?, (any Subscription)?) in
        if let end = state.end {
          state.end = .success(nil)
          return (end, nil)
        }
        state.continuation = continuation
        return (nil, state.subscription)
      }
      if let end { continuation.resume(with: end) } else { subscription?.request(.max(1)) }
    }
  }

  func cancel() {
    let (subscription, continuation) = state.withLock {
      $0.end = .success(nil)
      return ($0.subscription.take(), $0.continuation.take())
    }
    subscription?.cancel()
    continuation?.resume(returning: nil)
  }

  func receive(subscription: any Subscription) {
    let (isOver, isWaiting) = state.withLock {
      if $0.end == nil { $0.subscription = subscription }
      return ($0.end != nil, $0.continuation != nil)
    }
    if isOver { subscription.cancel() } else if isWaiting { subscription.request(.max(1)) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    state.withLock { $0.continuation.take() }?.resume(returning: input)
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    let end: Result<Input?, any Error> =
      switch completion {
      case .finished: .success(nil)
      case .failure(let error): .failure(error)
      }
    let continuation = state.withLock { state -> CheckedContinuation<Input?, any Error>? in
      state.subscription = nil
      let waiting = state.continuation.take()
      state.end = waiting == nil ? end : .success(nil)
      return waiting
    }
    continuation?.resume(with: end)
  }
}
