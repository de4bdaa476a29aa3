import Synchronization

/// One subscription to a subject: counts the demand, and sends through closures compiled for the subscriber.
///
/// `@unchecked Sendable`: the closures are called and dropped only by the subject's mailbox.
@usableFromInline
final class Conduit<Output: Sendable, Failure: Error>: Subscription, @unchecked Sendable {
  @usableFromInline enum Change { case demand, cancellation }

  @usableFromInline let demand = Atomic<Int>(0)
  @usableFromInline let isCancelled = Atomic<Bool>(false)
  @usableFromInline let onChange: @Sendable (Conduit, Change) -> Void
  @usableFromInline @exclusivity(unchecked) var receiveSubscription: ((any Subscription) -> Void)?
  @usableFromInline @exclusivity(unchecked) var receiveValue: ((Output) -> Subscribers.Demand)?
  @usableFromInline @exclusivity(unchecked)
  var receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?

  @inlinable
  init<S: Subscriber>(_ subscriber: S, onChange: @escaping @Sendable (Conduit, Change) -> Void)
  where S.Input == Output, S.Failure == Failure {
    self.onChange = onChange
    var subscriber = subscriber
    receiveSubscription = { subscriber.receive(subscription: $0) }
    receiveValue = { subscriber.receive($0) }
    receiveCompletion = { subscriber.receive(completion: $0) }
  }

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

  /// Sends a value if one is asked for; false when it was not.
  @inlinable
  func offer(_ value: Output) -> Bool {
    if isCancelled.load(ordering: .relaxed) { return true }
    guard takeOne() else { return false }
    if let more = receiveValue?(value), more > .none { add(more) }
    return true
  }

  @usableFromInline
  func finish(_ completion: Subscribers.Completion<Failure>) {
    if !isCancelled.exchange(true, ordering: .acquiringAndReleasing) { receiveCompletion?(completion) }
    drop()
  }

  @usableFromInline
  func drop() {
    receiveSubscription = nil
    receiveValue = nil
    receiveCompletion = nil
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
