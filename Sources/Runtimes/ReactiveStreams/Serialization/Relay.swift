import Synchronization

/// The downstream's subscription to several upstreams, one after another. Demand that one upstream has not met is requested
/// from the next. Invariant: no publisher or subscriber is called under the lock of `state`.
final class Relay: Subscription {
  private struct State {
    var current: (any Subscription)?
    var outstanding = Subscribers.Demand.none
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let attempts = Mailbox<@Sendable () -> Void>()

  /// Subscribes to the next upstream. A nested call runs after the current call, not inside it.
  func attempt(_ subscribe: @escaping @Sendable () -> Void) { attempts.send(subscribe) { $0() } }

  /// Switches to the next upstream. The previous one sent `produced` values; the downstream then requested `granted` more.
  func follow(_ next: any Subscription, produced: Int, granted: Subscribers.Demand) {
    let (demand, last) = state.withLock { state -> (Subscribers.Demand?, (any Subscription)?) in
      if state.isCancelled { return (nil, nil) }
      state.outstanding += granted
      state.outstanding -= .max(produced)
      let last = state.current
      state.current = next
      return (state.outstanding, last)
    }
    // Keeps the reference until here, so that it is released outside of the lock.
    withExtendedLifetime(last) {}
    guard let demand else { return next.cancel() }
    if demand > .none { next.request(demand) }
  }

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let current = state.withLock {
      $0.outstanding += demand
      return $0.current
    }
    current?.request(demand)
  }

  func cancel() { end()?.cancel() }

  func cancel(then action: @escaping @Sendable () -> Void) {
    if let current = end() { current.cancel(then: action) } else { action() }
  }

  private func end() -> (any Subscription)? {
    state.withLock {
      $0.isCancelled = true
      return $0.current.take()
    }
  }
}

/// The subscriber of one upstream of a `Relay`. It passes values on and counts them, to reduce the demand on the next upstream.
struct RelayInput<Downstream: Subscriber, Failure: Error>: Subscriber {
  var downstream: Downstream
  let relay: Relay
  /// The number of sent values that are not yet subtracted from the relay's demand.
  var produced = 0
  /// The demand that the downstream has returned for these values and that is not yet added to the relay's demand.
  var granted = Subscribers.Demand.none
  var isSubscribed = false
  /// Called with the end of the upstream, unless the end came together with a last value.
  let onCompletion: @Sendable (RelayInput, Subscribers.Completion<Failure>) -> Void

  mutating func receive(subscription: any Subscription) {
    guard !isSubscribed else { return subscription.cancel() }
    isSubscribed = true
    relay.follow(subscription, produced: produced, granted: granted)
    produced = 0
    granted = .none
  }
  mutating func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    produced += 1
    let more = downstream.receive(input)
    granted += more
    return more
  }
  mutating func receive(last input: Downstream.Input) { downstream.receive(last: input) }
  mutating func receive(completion: Subscribers.Completion<Failure>) { onCompletion(self, completion) }

  /// Passes a new relay to the downstream. Returns the subscriber for the first upstream.
  static func begin(
    _ downstream: consuming Downstream,
    onCompletion: consuming @escaping @Sendable (RelayInput, Subscribers.Completion<Failure>) -> Void
  ) -> RelayInput {
    let relay = Relay()
    downstream.receive(subscription: relay)
    return RelayInput(downstream: downstream, relay: relay, onCompletion: onCompletion)
  }

  func successor<NextFailure: Error>(
    onCompletion:
      consuming @escaping @Sendable (
        RelayInput<Downstream, NextFailure>, Subscribers.Completion<NextFailure>
      ) -> Void
  ) -> RelayInput<Downstream, NextFailure> {
    RelayInput<Downstream, NextFailure>(
      downstream: downstream, relay: relay, produced: produced, granted: granted, onCompletion: onCompletion)
  }

  func end(_ completion: Subscribers.Completion<Downstream.Failure>) {
    var downstream = downstream
    downstream.receive(completion: completion)
  }
}

extension Relay {
  /// Calls `resume`, which subscribes to the next upstream, after a delay, unless the downstream cancels during the delay.
  func pause(for delay: Duration, on scheduler: any Scheduler, then resume: @escaping @Sendable () -> Void) {
    let pause = SubscriptionSlot()
    follow(pause, produced: 0, granted: .none)
    _ = pause.keep(CancelAction(scheduler.schedule(after: delay, resume).cancel))
  }
}
