import Synchronization

/// Holds a subscription that may be cancelled before it has arrived, from any thread.
///
/// `@unchecked Sendable`: `subscription` is written once, before the `arrived` bit is set, and is read or
/// dropped only by the one call that then finds that bit and sets `ended` first.
@usableFromInline
final class SubscriptionSlot: @unchecked Sendable {
  @usableFromInline static var arrived: UInt8 { 1 }
  @usableFromInline static var ended: UInt8 { 2 }

  @usableFromInline let bits = Atomic<UInt8>(0)
  @usableFromInline @exclusivity(unchecked) var subscription: (any Subscription)?

  @inlinable init() {}

  @inlinable var isEnded: Bool { bits.load(ordering: .relaxed) & Self.ended != 0 }

  /// Keeps a subscription; false (and the subscription is cancelled) when the slot has ended or has one.
  @inlinable
  func keep(_ new: any Subscription) -> Bool {
    guard bits.load(ordering: .acquiring) == 0 else {
      new.cancel()
      return false
    }
    subscription = new
    guard bits.bitwiseOr(Self.arrived, ordering: .acquiringAndReleasing).oldValue == 0 else {
      subscription = nil
      new.cancel()
      return false
    }
    return true
  }

  /// Ends the slot and drops what it holds; true for the first call.
  @inlinable
  func end() -> Bool {
    let old = bits.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing).oldValue
    if old == Self.arrived { subscription = nil }
    return old & Self.ended == 0
  }

  /// Ends the slot and cancels what it holds; true for the first call.
  @inlinable
  func endAndCancel() -> Bool {
    let old = bits.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing).oldValue
    if old == Self.arrived { subscription.take()?.cancel() }
    return old & Self.ended == 0
  }

  /// Ends the slot, cancels what it holds and runs the action when no signal is under way: in the first call.
  @inlinable
  func endAndCancel(then action: @escaping @Sendable () -> Void) {
    let old = bits.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing).oldValue
    if old == Self.arrived, let held = subscription.take() {
      held.cancel(then: action)
    } else if old & Self.ended == 0 {
      action()
    }
  }
}

extension SubscriptionSlot: Subscription {
  @inlinable
  func request(_ demand: Subscribers.Demand) {}

  @inlinable
  func cancel() { _ = endAndCancel() }

  @inlinable
  func cancel(then action: @escaping @Sendable () -> Void) {
    let old = bits.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing).oldValue
    if old == Self.arrived, let held = subscription.take() { held.cancel(then: action) } else { action() }
  }
}
