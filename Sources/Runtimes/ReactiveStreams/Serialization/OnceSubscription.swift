import Synchronization

/// The subscription of operators that fold a stream into one result, and of publishers that never end.
///
/// `@unchecked Sendable`: `upstream` is written before other threads see the object. `value` and `failure` are written before
/// `gate.resolve` is called. `downstream` belongs to the one call for which the gate returns `deliver` or `drop`.
@usableFromInline
final class OnceSubscription<Downstream: Subscriber>: QuiescentSubscription, @unchecked Sendable {
  @usableFromInline let gate = OnceGate()
  @usableFromInline let quiescence = Quiescence()
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?
  @usableFromInline @exclusivity(unchecked) var upstream: (any Subscription)?
  @usableFromInline @exclusivity(unchecked) var value: Downstream.Input?
  @usableFromInline @exclusivity(unchecked) var failure: Downstream.Failure?

  @inlinable init(_ downstream: Downstream) { self.downstream = downstream }

  @inlinable func begin() {
    downstream?.receive(subscription: self)
    perform(gate.open())
  }

  /// Stores the upstream, whose values the first demand requests, and calls `begin`. A second upstream is cancelled.
  @inlinable func begin(asking subscription: any Subscription) {
    guard upstream == nil else { return subscription.cancel() }
    upstream = subscription
    begin()
  }

  @inlinable func request(_ demand: Subscribers.Demand) {
    let (duty, first) = gate.request(demand)
    perform(duty)
    if first { upstream?.request(.unlimited) }
  }

  @inlinable func cancel() {
    let (duty, first) = gate.cancel()
    perform(duty)
    guard first else { return }
    if let upstream {
      upstream.cancel { self.quiescence.declareOver() }
    } else {
      quiescence.declareOver()
    }
  }

  /// Sends the value on demand. Only one call of `succeed` or `fail` is allowed.
  @inlinable func succeed(_ result: Downstream.Input) {
    value = result
    perform(gate.resolve())
  }

  /// Sends the failure without waiting for demand.
  @inlinable func fail(_ error: Downstream.Failure) {
    failure = error
    perform(gate.resolve(needsDemand: false))
  }

  @inlinable func perform(_ duty: OnceGate.Duty) {
    switch duty {
    case .nothing: return
    case .drop: downstream = nil
    case .deliver:
      guard var subscriber = downstream.take() else { return }
      if let value = value.take() {
        subscriber.receive(last: value)
      } else if let failure {
        subscriber.receive(completion: .failure(failure))
      }
      quiescence.declareOver()
    }
  }
}

/// Records whether there is a result and demand for it. Exactly one call finds both and delivers the result, without a lock.
///
/// Bits are only set, except `busy`, which the thread that sends `receive(subscription:)` clears after that call.
@usableFromInline struct OnceGate: ~Copyable {
  @usableFromInline static var busy: UInt8 { 1 }
  @usableFromInline static var requested: UInt8 { 2 }
  @usableFromInline static var resolved: UInt8 { 4 }
  @usableFromInline static var closed: UInt8 { 8 }

  @usableFromInline enum Duty {
    case nothing
    /// The caller must send the result and drop the subscriber.
    case deliver
    /// The caller must release the subscriber without a signal.
    case drop
  }

  @usableFromInline let bits: Atomic<UInt8>

  @inlinable
  init(isResolved: Bool = false) { bits = Atomic(isResolved ? Self.busy | Self.resolved : Self.busy) }

  @inlinable func request(_ demand: Subscribers.Demand) -> (duty: Duty, first: Bool) {
    guard demand > .none else { return (.nothing, false) }
    let old = bits.bitwiseOr(Self.requested, ordering: .acquiringAndReleasing).oldValue
    let first = old & (Self.requested | Self.closed) == 0
    return (old == Self.resolved ? .deliver : .nothing, first)
  }

  /// Records that the caller has stored the result. A failure needs no demand (rule 2.10 of Reactive Streams).
  @inlinable func resolve(needsDemand: Bool = true) -> Duty {
    let set = needsDemand ? Self.resolved : Self.resolved | Self.requested
    let old = bits.bitwiseOr(set, ordering: .acquiringAndReleasing).oldValue
    guard old & (Self.busy | Self.closed | Self.resolved) == 0 else { return .nothing }
    return (old | set) & Self.requested != 0 ? .deliver : .nothing
  }

  /// Records that `receive(subscription:)` has returned.
  @inlinable func open() -> Duty {
    let old = bits.bitwiseAnd(~Self.busy, ordering: .acquiringAndReleasing).oldValue
    if old & Self.closed != 0 { return .drop }
    return old == Self.busy | Self.requested | Self.resolved ? .deliver : .nothing
  }

  /// Ends the stream. `first` is true if the stream had not ended before.
  @inlinable func cancel() -> (duty: Duty, first: Bool) {
    let old = bits.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing).oldValue
    let delivered = old & (Self.busy | Self.requested | Self.resolved) == Self.requested | Self.resolved
    if old & Self.closed != 0 || delivered { return (.nothing, false) }
    return (old & Self.busy == 0 ? .drop : .nothing, true)
  }
}
