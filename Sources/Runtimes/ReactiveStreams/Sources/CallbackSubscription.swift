import Synchronization

/// The subscription of one call that answers through a callback, and the target its resolver resolves.
///
/// It knows neither the subscriber's type nor the work's: those are in closures that were compiled for them,
/// because code reached through a subscription or a service is generic otherwise, and an order slower.
///
/// `@unchecked Sendable`: who sets the bit that a variable waits for owns the variable. `startWork` belongs to the
/// first of {requested, cancelled} once `waiting` is set; `early` to the call that sets `claimed`, until it sets
/// `parked`; `finish` to the second of {armed, parked or cancelled}; `afterwards` is written by the one call that
/// sets `cancelled`, before `handedOver`.
@usableFromInline
final class CallbackSubscription<Output: Sendable, Failure: Error>: Subscription, @unchecked Sendable {
  @usableFromInline typealias Answer = Result<Output, Failure>

  @usableFromInline static var busy: UInt16 { 1 }
  @usableFromInline static var requested: UInt16 { 2 }
  /// The demand has not come yet; `startWork` is there for when it does.
  @usableFromInline static var waiting: UInt16 { 4 }
  /// The work's call has returned, or will not be made; `finish` is there.
  @usableFromInline static var armed: UInt16 { 8 }
  /// There is an answer.
  @usableFromInline static var claimed: UInt16 { 16 }
  /// The answer came before the work's call returned and waits in `early`.
  @usableFromInline static var parked: UInt16 { 32 }
  @usableFromInline static var delivered: UInt16 { 64 }
  @usableFromInline static var cancelled: UInt16 { 128 }
  /// `afterwards` waits for the work's call to return, or for the delivery to end.
  @usableFromInline static var handedOver: UInt16 { 256 }

  /// What the setup phase ended with.
  @usableFromInline enum Opening { case start, wait, drop }

  @usableFromInline let bits = Atomic<UInt16>(busy)
  /// Delivers an answer, or cancels the work when there is none.
  @usableFromInline @exclusivity(unchecked) var finish: (@Sendable (Answer?) -> Void)?
  @usableFromInline @exclusivity(unchecked) var early: (@Sendable () -> Answer)?
  @usableFromInline @exclusivity(unchecked) var startWork: (@Sendable () -> Void)?
  @usableFromInline @exclusivity(unchecked) var afterwards: (@Sendable () -> Void)?

  @inlinable init() {}

  @inlinable var isCancelled: Bool { bits.load(ordering: .relaxed) & Self.cancelled != 0 }

  @inlinable
  func open() -> Opening {
    let old = bits.bitwiseAnd(~Self.busy, ordering: .acquiringAndReleasing).oldValue
    if old & Self.cancelled != 0 { return .drop }
    return old & Self.requested != 0 ? .start : .wait
  }

  @usableFromInline
  func waitForDemand(_ start: @escaping @Sendable () -> Void) {
    startWork = start
    let old = set(Self.waiting)
    if old & Self.requested != 0 {
      startWork.take()?()
    } else if old & Self.cancelled != 0 {
      startWork = nil
    }
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let old = set(Self.requested)
    if old & Self.waiting != 0, old & (Self.requested | Self.cancelled) == 0 { startWork.take()?() }
  }

  /// The work's call has returned: answers and cancellations go to `finish` from now on.
  @inlinable
  func arm(_ finish: (@Sendable (Answer?) -> Void)?) {
    self.finish = finish
    let old = set(Self.armed)
    if old & Self.parked != 0 {
      if let early = early.take() { deliver(early()) }
    } else if old & (Self.cancelled | Self.claimed) == Self.cancelled {
      self.finish.take()?(nil)
      if old & Self.handedOver != 0 { afterwards.take()?() }
    }
  }

  @inlinable
  func resolve(_ answer: Answer) {
    let old = set(Self.claimed)
    guard old & (Self.claimed | Self.cancelled) == 0 else { return }
    if old & Self.armed == 0 {
      early = { answer }
      guard set(Self.parked) & Self.armed != 0 else { return }
      early = nil
    }
    deliver(answer)
  }

  @inlinable
  func deliver(_ answer: Answer) {
    finish.take()?(answer)
    if set(Self.delivered) & Self.handedOver != 0 { afterwards.take()?() }
  }

  @usableFromInline
  func cancel() { _ = end() }

  @usableFromInline
  func cancel(then action: @escaping @Sendable () -> Void) {
    guard let due = end() else { return action() }
    afterwards = action
    if set(Self.handedOver) & due != 0 { afterwards.take()?() }
  }

  /// Cancels; returns the bit to wait for when something is still under way: a delivery, or the work's call.
  @usableFromInline
  func end() -> UInt16? {
    let old = set(Self.cancelled)
    if old & Self.cancelled != 0 { return nil }
    if old & Self.claimed != 0 { return old & Self.delivered == 0 ? Self.delivered : nil }
    if old & Self.busy != 0 { return nil }
    if old & Self.requested == 0 {
      if old & Self.waiting != 0 { startWork = nil }
      return nil
    }
    guard old & Self.armed != 0 else { return Self.armed }
    finish.take()?(nil)
    return nil
  }

  @inlinable
  func set(_ bit: UInt16) -> UInt16 { bits.bitwiseOr(bit, ordering: .acquiringAndReleasing).oldValue }
}
