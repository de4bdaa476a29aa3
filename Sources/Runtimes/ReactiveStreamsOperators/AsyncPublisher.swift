import ReactiveStreams
import Synchronization

/// A publisher's values as an asynchronous sequence: each iterator subscribes for itself, for one task at a time.
public struct AsyncPublisher<P: Publisher>: AsyncSequence {
  public typealias Element = P.Output

  let publisher: P
  let capacity: Int

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let pull: Pull<P.Output, P.Failure>
    private let cancellable: AnyCancellable

    init(_ publisher: P, capacity: Int) {
      let pull = Pull<P.Output, P.Failure>(capacity: capacity)
      publisher.subscribe(pull)
      self.pull = pull
      cancellable = AnyCancellable { pull.cancel() }
    }

    /// The next value; `nil` at the end and when the task is cancelled, which cancels the stream. Traps when another
    /// task waits for one of this iterator.
    public mutating func next() async throws -> P.Output? {
      try await withTaskCancellationHandler { [pull] in
        try await pull.next()
      } onCancel: { [pull] in
        pull.cancel()
      }
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(publisher, capacity: capacity) }
}

extension Publisher {
  /// The values as an asynchronous sequence that throws the failure; each is asked for when it is awaited.
  public var values: AsyncPublisher<Self> { AsyncPublisher(publisher: self, capacity: 0) }

  /// The values as an asynchronous sequence that throws the failure; up to `capacity` are asked for ahead of use,
  /// and wait in order. More are asked for when half of them have been used. Traps when it is negative.
  public func values(bufferingAtMost capacity: Int) -> AsyncPublisher<Self> {
    precondition(capacity >= 0, "a buffer can not have a negative capacity")
    return AsyncPublisher(publisher: self, capacity: capacity)
  }
}

/// Turns pulls, one at a time, into requests, and keeps what was asked for ahead of them. The lock is never held while
/// anyone is called, nor while anything is let go of.
final class Pull<Input: Sendable, Failure: Error>: Subscriber {
  private struct State {
    var subscription: (any Subscription)?
    var continuation: CheckedContinuation<Input?, any Error>?
    /// How the stream ended; a failure is told once.
    var end: Result<Input?, any Error>?
    var buffer = Queue<Input>()
    /// Values asked for that are neither waiting nor used.
    var outstanding = 0

    /// What there is for a pull, which otherwise waits. Traps when another one waits.
    mutating func answer(
      to pull: CheckedContinuation<Input?, any Error>
    ) -> Result<Input?, any Error>? {
      precondition(
        continuation == nil,
        "two tasks wait in next() of one iterator: each task makes an iterator of its own")
      if let value = buffer.popFirst() { return .success(value) }
      defer { if end == nil { continuation = pull } else { end = .success(nil) } }
      return end
    }

    /// How many more to ask for: with a capacity, when half of it is used up; else when one is waited for.
    mutating func lacking(_ capacity: Int) -> Subscribers.Demand {
      let wanted = max(capacity, continuation == nil ? 0 : 1)
      let lacking = wanted - outstanding - buffer.count
      guard end == nil, subscription != nil, lacking > 0, lacking >= capacity - lacking else { return .none }
      outstanding += lacking
      return .max(lacking)
    }
  }

  private let state = Mutex(State())
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  func next() async throws -> Input? {
    try await withCheckedThrowingContinuation { continuation in
      let (answer, demand, subscription) = state.withLock {
        ($0.answer(to: continuation), $0.lacking(capacity), $0.subscription)
      }
      if demand > .none { subscription?.request(demand) }
      if let answer { continuation.resume(with: answer) }
    }
  }

  /// Ends the stream; what waits is not used any more.
  func cancel() {
    let (subscription, continuation, remains) = state.withLock {
      let remains = ($0.buffer, $0.end)
      $0.buffer = Queue()
      $0.end = .success(nil)
      return ($0.subscription.take(), $0.continuation.take(), remains)
    }
    subscription?.cancel()
    continuation?.resume(returning: nil)
    withExtendedLifetime(remains) {}
  }

  func receive(subscription: any Subscription) {
    let demand: Subscribers.Demand? = state.withLock {
      guard $0.end == nil, $0.subscription == nil else { return nil }
      $0.subscription = subscription
      return $0.lacking(capacity)
    }
    guard let demand else { return subscription.cancel() }
    if demand > .none { subscription.request(demand) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    let waiting = state.withLock { state -> CheckedContinuation<Input?, any Error>? in
      state.outstanding -= 1
      if state.end == nil, state.continuation == nil { state.buffer.append(input) }
      return state.continuation.take()
    }
    waiting?.resume(returning: input)
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    let end: Result<Input?, any Error> = completion.error.map { .failure($0) } ?? .success(nil)
    let (waiting, subscription) = state.withLock {
      state -> (CheckedContinuation<Input?, any Error>?, (any Subscription)?) in
      guard state.end == nil else { return (nil, nil) }
      state.end = state.continuation == nil ? end : .success(nil)
      return (state.continuation.take(), state.subscription.take())
    }
    withExtendedLifetime(subscription) { waiting?.resume(with: end) }
  }
}
