import Synchronization

extension Publishers {
  /// Runs a cleanup when the upstream has ended or was cancelled.
  public struct Ensure<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// Starts the cleanup, which calls the given closure at its end, with the cleanup's failure or `nil`.
    let start: @Sendable (@escaping @Sendable (Failure?) -> Void) -> Void

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: EnsuringSubscriber(downstream: subscriber, cleanup: Cleanup(start)))
    }
  }
}

extension Publisher {
  /// Runs the body once when this stream has ended or was cancelled: before the end is sent to the subscriber, or after a
  /// cancelled stream has stopped sending.
  public func ensure(_ body: @escaping @Sendable () -> Void) -> Publishers.Ensure<Self> {
    Publishers.Ensure(upstream: self) { done in
      body()
      done(nil)
    }
  }

  /// Subscribes once to a cleanup when this stream has ended or was cancelled, and waits for the end of the cleanup.
  ///
  /// The last value and the end are sent after the cleanup. A failure of the cleanup replaces them, unless this stream has
  /// failed. A cancellation does not cancel the cleanup: `value` and `subscribe(receiveResult:)` wait for its end.
  ///
  ///     transfer(on: connection).ensure { connection.close() }
  public func ensure<P: Publisher>(
    _ cleanup: @escaping @Sendable () -> P
  ) -> Publishers.Ensure<Self> where P.Failure == Failure {
    Publishers.Ensure(upstream: self) { done in
      cleanup().receive(
        subscriber: SinkSubscriber(
          slot: SubscriptionSlot(), receiveValue: { _ in }, receiveCompletion: { done($0.error) }))
    }
  }
}

/// A cleanup that the end or the cancellation of a stream starts, only once.
private final class Cleanup<Failure: Error>: Sendable {
  private enum State {
    case due(@Sendable (@escaping @Sendable (Failure?) -> Void) -> Void)
    /// The cleanup is running. These actions are called at its end.
    case running([@Sendable (Failure?) -> Void])
    case over(Failure?)
  }

  private let state: Mutex<State>
  private let isCancelledFlag = Atomic<Bool>(false)

  init(_ start: @escaping @Sendable (@escaping @Sendable (Failure?) -> Void) -> Void) {
    state = Mutex(.due(start))
  }

  var isCancelled: Bool { isCancelledFlag.load(ordering: .relaxed) }

  func cancel() { isCancelledFlag.store(true, ordering: .relaxed) }

  /// Starts the cleanup if it has not started. Runs the action when the cleanup has ended.
  func run(then action: @escaping @Sendable (Failure?) -> Void) {
    switch enter(action) {
    case .due(let start): start { self.end(with: $0) }
    case .over(let failure): action(failure)
    case .running: break
    }
  }

  /// Marks the cleanup as running and stores the action, unless the cleanup has ended. Returns the previous state.
  private func enter(_ action: @escaping @Sendable (Failure?) -> Void) -> State {
    state.withLock { state in
      let before = state
      switch before {
      case .due: state = .running([action])
      case .running(let waiting): state = .running(waiting + [action])
      case .over: break
      }
      return before
    }
  }

  private func end(with failure: Failure?) {
    let before = state.withLock { state in
      defer { state = .over(failure) }
      return state
    }
    guard case .running(let waiting) = before else { return }
    for action in waiting { action(failure) }
  }
}

private struct EnsuringSubscriber<Downstream: Subscriber>: ForwardingSubscriber {
  var downstream: Downstream
  let cleanup: Cleanup<Downstream.Failure>

  mutating func receive(subscription: any Subscription) {
    downstream.receive(subscription: EnsuredSubscription(upstream: subscription, cleanup: cleanup))
  }
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    end {
      $0.receive(completion: completion.error == nil ? $1.map { .failure($0) } ?? completion : completion)
    }
  }
  func receive(last input: Downstream.Input) {
    end { if let failure = $1 { $0.receive(completion: .failure(failure)) } else { $0.receive(last: input) } }
  }

  private func end(_ send: @escaping @Sendable (inout Downstream, Downstream.Failure?) -> Void) {
    cleanup.run { [downstream, cleanup] failure in
      var downstream = downstream
      if !cleanup.isCancelled { send(&downstream, failure) }
    }
  }
}

private final class EnsuredSubscription<Failure: Error>: Subscription {
  private let upstream: any Subscription
  private let cleanup: Cleanup<Failure>

  init(upstream: any Subscription, cleanup: Cleanup<Failure>) {
    self.upstream = upstream
    self.cleanup = cleanup
  }

  var waitsForDemand: Bool { upstream.waitsForDemand }
  func request(_ demand: Subscribers.Demand) { upstream.request(demand) }
  func cancel() { cancel {} }
  func cancel(then action: @escaping @Sendable () -> Void) {
    cleanup.cancel()
    upstream.cancel { [cleanup] in cleanup.run { _ in action() } }
  }
}

extension Publishers {
  /// Passes all signals through and calls a closure on cancellation.
  public struct HandleEvents<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// Called once, on the cancelling thread, if the stream is cancelled before its end.
    public let receiveCancel: @Sendable () -> Void

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(
        subscriber: HandleEventsSubscriber(downstream: subscriber, receiveCancel: receiveCancel))
    }
  }
}

extension Publisher {
  /// Passes all signals through and calls `receiveCancel` on cancellation, on the cancelling thread.
  ///
  /// `receiveCancel` is not called after a last value that came in one signal with the end. So if both `receiveCancel` and a
  /// sink resume a continuation, only one does. If a publisher sends its end separately, like a subject, use `first()` as well.
  public func handleEvents(receiveCancel: @escaping @Sendable () -> Void) -> Publishers.HandleEvents<Self> {
    Publishers.HandleEvents(upstream: self, receiveCancel: receiveCancel)
  }
}

private struct HandleEventsSubscriber<Downstream: Subscriber>: ForwardingSubscriber {
  var downstream: Downstream
  let receiveCancel: @Sendable () -> Void

  mutating func receive(subscription: any Subscription) {
    downstream.receive(subscription: ObservedSubscription(subscription, receiveCancel))
  }
}

/// The subscription of `HandleEvents`. It need not record the end, because a sink does not cancel after the end.
private final class ObservedSubscription: Subscription {
  private let upstream: any Subscription
  private let onCancel: @Sendable () -> Void
  private let isCancelled = Atomic<Bool>(false)

  init(_ upstream: any Subscription, _ onCancel: @escaping @Sendable () -> Void) {
    self.upstream = upstream
    self.onCancel = onCancel
  }

  func request(_ demand: Subscribers.Demand) { upstream.request(demand) }

  var waitsForDemand: Bool { upstream.waitsForDemand }

  func cancel() {
    reportCancellation()
    upstream.cancel()
  }

  func cancel(then action: @escaping @Sendable () -> Void) {
    reportCancellation()
    upstream.cancel(then: action)
  }

  private func reportCancellation() {
    if !isCancelled.exchange(true, ordering: .relaxed) { onCancel() }
  }
}
