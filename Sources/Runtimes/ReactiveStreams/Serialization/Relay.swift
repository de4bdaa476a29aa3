import Synchronization

/// The downstream's subscription to a succession of upstreams: carries demand over from one to the next. No call is made under
/// the lock.
final class Relay: Subscription {
  private struct State {
    var current: (any Subscription)?
    var outstanding = Subscribers.Demand.none
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let attempts = Mailbox<@Sendable () -> Void>()

  /// Subscribes to the next upstream; a nested call runs after this one, not inside it.
  func attempt(_ subscribe: @escaping @Sendable () -> Void) { attempts.send(subscribe) { $0() } }

  /// Switches to an upstream, after the last one sent `produced` of the requested values.
  func follow(_ next: any Subscription, produced: Int, granted: Subscribers.Demand) {
    let (demand, last) = state.withLock { state -> (Subscribers.Demand?, (any Subscription)?) in
      if state.isCancelled { return (nil, nil) }
      state.outstanding += granted
      state.outstanding -= .max(produced)
      let last = state.current
      state.current = next
      return (state.outstanding, last)
    }
    // Taken under the lock and released here.
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

/// Passes the values of one upstream of a succession on, and counts them for the next.
struct RelayInput<Downstream: Subscriber, Failure: Error>: Subscriber {
  var downstream: Downstream
  let relay: Relay
  /// What the previous upstream left to account for.
  var produced = 0
  var granted = Subscribers.Demand.none
  /// Whether the upstream has subscribed, which it does once.
  var isSubscribed = false
  /// Receives an end without a last value, with this subscriber's state at that moment.
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

  /// Gives the downstream a relay, and returns the subscriber for the first upstream.
  static func begin(
    _ downstream: consuming Downstream,
    onCompletion: consuming @escaping @Sendable (RelayInput, Subscribers.Completion<Failure>) -> Void
  ) -> RelayInput {
    let relay = Relay()
    downstream.receive(subscription: relay)
    return RelayInput(downstream: downstream, relay: relay, onCompletion: onCompletion)
  }

  /// The subscriber for the next upstream.
  func successor<NextFailure: Error>(
    onCompletion:
      consuming @escaping @Sendable (
        RelayInput<Downstream, NextFailure>, Subscribers.Completion<NextFailure>
      ) -> Void
  ) -> RelayInput<Downstream, NextFailure> {
    RelayInput<Downstream, NextFailure>(
      downstream: downstream, relay: relay, produced: produced, granted: granted, onCompletion: onCompletion)
  }

  /// Ends the downstream.
  func end(_ completion: Subscribers.Completion<Downstream.Failure>) {
    var downstream = downstream
    downstream.receive(completion: completion)
  }
}

extension Relay {
  /// Follows nothing for the delay, and then what `resume` subscribes to; a cancellation meanwhile prevents that.
  func pause(for delay: Duration, on scheduler: any Scheduler, then resume: @escaping @Sendable () -> Void) {
    let pause = SubscriptionSlot()
    follow(pause, produced: 0, granted: .none)
    _ = pause.keep(CancelAction(scheduler.schedule(after: delay, resume).cancel))
  }
}
