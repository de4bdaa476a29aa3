import Synchronization

/// What a subject is subscribed to, let go of when the subject ends.
@usableFromInline
final class SubjectUpstreams: Sendable {
  private struct State {
    var slots: [SubscriptionSlot] = []
    var hasEnded = false
  }

  /// The subscription of the subject as a subscriber, which it can be once.
  let own = SubscriptionSlot()
  private let state = Mutex(State())

  @usableFromInline init() {}

  /// Cancels the slot when the subject ends: now, if it has.
  func add(_ slot: SubscriptionSlot) {
    let hasEnded = state.withLock {
      // Those that have ended by themselves go when there is no room for another.
      if $0.slots.count == $0.slots.capacity { $0.slots.removeAll { $0.isEnded } }
      if !$0.hasEnded { $0.slots.append(slot) }
      return $0.hasEnded
    }
    if hasEnded { slot.cancel() }
  }

  @usableFromInline
  func end() {
    let slots = state.withLock { state in
      state.hasEnded = true
      defer { state.slots = [] }
      return state.slots
    }
    for slot in slots { slot.cancel() }
    own.cancel()
  }
}

/// A subject that lets go of what it is subscribed to when it ends.
protocol SubscribedSubject: Subject, Processor where Input == Output {
  var upstreams: SubjectUpstreams { get }
}

extension SubscribedSubject {
  public func receive(subscription: any Subscription) {
    if upstreams.own.keep(subscription) { subscription.request(.unlimited) }
  }

  public func receive(completion: Subscribers.Completion<Failure>) {
    _ = upstreams.own.end()
    send(completion: completion)
  }
}

extension Publisher {
  /// Sends everything of this publisher through a subject, beside what it is told to send and what other publishers send
  /// through it, until the result is cancelled or dropped, or either side ends.
  public func subscribe<S: Subject & Subscriber>(_ subject: S) -> AnyCancellable
  where S.Output == Output, S.Failure == Failure {
    let slot = SubscriptionSlot()
    if let subscribed = subject as? any SubscribedSubject { subscribed.upstreams.add(slot) }
    receive(subscriber: SubjectInput(subject: subject, slot: slot))
    return AnyCancellable(slot)
  }
}

private struct SubjectInput<Target: Subject>: Subscriber {
  let subject: Target
  let slot: SubscriptionSlot

  func receive(subscription: any Subscription) {
    if slot.keep(subscription) { subscription.request(.unlimited) }
  }
  func receive(_ input: Target.Output) -> Subscribers.Demand {
    if !slot.isEnded { subject.send(input) }
    return .none
  }
  func receive(completion: Subscribers.Completion<Target.Failure>) {
    if slot.end() { subject.send(completion: completion) }
  }
}
