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

  /// Ends the slot; takes out what it holds. Only the first call finds anything.
  @inlinable
  func takeEnd() -> (isFirst: Bool, held: (any Subscription)?) {
    let old = bits.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing).oldValue
    return (old & Self.ended == 0, old == Self.arrived ? subscription.take() : nil)
  }

  /// Ends the slot and drops what it holds; true for the first call.
  @inlinable func end() -> Bool { takeEnd().isFirst }

  /// Ends the slot and cancels what it holds; true for the first call.
  @inlinable
  func endAndCancel() -> Bool {
    let (isFirst, held) = takeEnd()
    held?.cancel()
    return isFirst
  }

  /// Ends the slot, cancels what it holds and runs the action when no signal is under way: in the first call.
  @inlinable
  func endAndCancel(then action: @escaping @Sendable () -> Void) {
    let (isFirst, held) = takeEnd()
    if let held { held.cancel(then: action) } else if isFirst { action() }
  }
}

extension SubscriptionSlot: Subscription {
  @inlinable func request(_ demand: Subscribers.Demand) {}

  @inlinable func cancel() { _ = endAndCancel() }

  @inlinable
  func cancel(then action: @escaping @Sendable () -> Void) {
    if let held = takeEnd().held { held.cancel(then: action) } else { action() }
  }
}
