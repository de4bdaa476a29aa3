import Synchronization

/// One subscription to a subject: counts the demand, and sends through closures compiled for the subscriber.
///
/// `@unchecked Sendable`: everything but the two atomics belongs to the subject's mailbox.
@usableFromInline
final class Conduit<Output: Sendable, Failure: Error>: Subscription, @unchecked Sendable {
  @usableFromInline enum Change { case demand, cancellation }

  /// A signal that is no value.
  @usableFromInline
  enum Signal {
    case subscription
    case completion(Subscribers.Completion<Failure>)
    /// None: the subscriber is let go.
    case drop
  }

  @usableFromInline let demand = Atomic<Int>(0)
  @usableFromInline let isCancelled = Atomic<Bool>(false)
  @usableFromInline let sendValue: (Conduit, Output) -> Subscribers.Demand
  @usableFromInline let sendSignal: (Conduit, Signal) -> Void
  @usableFromInline let onChange: @Sendable (Conduit, Change) -> Void
  @usableFromInline @exclusivity(unchecked) var subscriber = Room()
  @usableFromInline @exclusivity(unchecked) var holdsSubscriber = true
  /// Whether the subscriber has to be told of the value that a subject keeps.
  @usableFromInline @exclusivity(unchecked) var isBehind = false
  @usableFromInline @exclusivity(unchecked) var isListed = false
  @usableFromInline @exclusivity(unchecked) var next: Unmanaged<Conduit>?
  @usableFromInline @exclusivity(unchecked) var previous: Unmanaged<Conduit>?

  @inlinable
  init<S: Subscriber>(_ subscriber: S, onChange: @escaping @Sendable (Conduit, Change) -> Void)
  where S.Input == Output, S.Failure == Failure {
    self.onChange = onChange
    sendValue = { conduit, value in
      conduit.subscriber.modify(S.self) { $0.receive(value) }
    }
    sendSignal = { conduit, signal in
      switch signal {
      case .subscription: conduit.subscriber.modify(S.self) { $0.receive(subscription: conduit) }
      case .completion(let completion):
        conduit.holdsSubscriber = false
        var subscriber = conduit.subscriber.take(S.self)
        subscriber.receive(completion: completion)
      case .drop:
        conduit.holdsSubscriber = false
        _ = conduit.subscriber.take(S.self)
      }
    }
    self.subscriber.put(subscriber)
  }

  deinit { drop() }

  @usableFromInline
  func request(_ asked: Subscribers.Demand) {
    guard asked > .none else { return }
    add(asked)
    onChange(self, .demand)
  }

  @usableFromInline
  func cancel() {
    if !isCancelled.exchange(true, ordering: .acquiringAndReleasing) { onChange(self, .cancellation) }
  }

  // MARK: Inside the subject's mailbox

  @usableFromInline
  func start() { sendSignal(self, .subscription) }

  /// Sends a value if one is asked for; false when it was not.
  @inlinable
  func offer(_ value: Output) -> Bool {
    if isCancelled.load(ordering: .relaxed) { return true }
    guard takeOne() else { return false }
    let more = sendValue(self, value)
    if more > .none { add(more) }
    return true
  }

  @usableFromInline
  func finish(_ completion: Subscribers.Completion<Failure>) {
    if isCancelled.exchange(true, ordering: .acquiringAndReleasing) { return drop() }
    if holdsSubscriber { sendSignal(self, .completion(completion)) }
  }

  @usableFromInline
  func drop() {
    if holdsSubscriber { sendSignal(self, .drop) }
  }

  @inlinable
  func takeOne() -> Bool {
    var old = demand.load(ordering: .relaxed)
    while old != .max {
      if old == 0 { return false }
      let result = demand.weakCompareExchange(expected: old, desired: old - 1, ordering: .relaxed)
      if result.exchanged { return true }
      old = result.original
    }
    return true
  }

  @usableFromInline
  func add(_ more: Subscribers.Demand) {
    var old = demand.load(ordering: .relaxed)
    while old != .max {
      let sum = (Subscribers.Demand(rawCount: old) + more).rawCount
      let result = demand.weakCompareExchange(expected: old, desired: sum, ordering: .relaxed)
      if result.exchanged { return }
      old = result.original
    }
  }
}
