import RuntimeSupport
import Synchronization

/// Holds a subscription that any thread may cancel before it has arrived.
///
/// `@unchecked Sendable`: `subscription` is written once, before the `arrived` bit is set, and is read or dropped only by the
/// one call that then finds that bit and sets `ended` first.
@usableFromInline final class SubscriptionSlot: @unchecked Sendable {
  @usableFromInline static var arrived: UInt8 { 1 }
  @usableFromInline static var ended: UInt8 { 2 }
  /// A cancellation came, before the end or after it.
  @usableFromInline static var cancelled: UInt8 { 4 }

  @usableFromInline let bits = Atomic<UInt8>(0)
  @usableFromInline @exclusivity(unchecked) var subscription: (any Subscription)?

  @inlinable init() {}

  @inlinable var isEnded: Bool { bits.load(ordering: .relaxed) & Self.ended != 0 }
  @inlinable var isCancelled: Bool { bits.load(ordering: .relaxed) & Self.cancelled != 0 }

  /// Keeps a subscription; false (and the subscription is cancelled) when the slot has ended or has one.
  @inlinable func keep(_ new: any Subscription) -> Bool {
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

  /// Ends the slot; takes out what it holds. Only the first call finds a subscription.
  @inlinable func takeEnd(_ flags: UInt8 = ended) -> (isFirst: Bool, held: (any Subscription)?) {
    let old = bits.bitwiseOr(flags, ordering: .acquiringAndReleasing).oldValue
    return (old & Self.ended == 0, old == Self.arrived ? subscription.take() : nil)
  }

  /// Ends the slot and drops what it holds; true for the first call.
  @inlinable func end() -> Bool { takeEnd().isFirst }

  /// Ends the slot and cancels what it holds; true for the first call.
  @inlinable func endAndCancel() -> Bool {
    let (isFirst, held) = takeEnd(Self.ended | Self.cancelled)
    held?.cancel()
    return isFirst
  }

  /// Ends the slot, cancels what it holds and runs the action when no signal is being sent: in the first call.
  @inlinable func endAndCancel(then action: @escaping @Sendable () -> Void) {
    let (isFirst, held) = takeEnd(Self.ended | Self.cancelled)
    if let held { held.cancel(then: action) } else if isFirst { action() }
  }
}

extension SubscriptionSlot: Subscription {
  @inlinable func request(_ demand: Subscribers.Demand) {}

  @inlinable func cancel() { _ = endAndCancel() }

  @inlinable func cancel(then action: @escaping @Sendable () -> Void) {
    if let held = takeEnd(Self.ended | Self.cancelled).held { held.cancel(then: action) } else { action() }
  }
}

/// The moment from which none of a subscription's signals is being sent, and one action that waits for it.
@usableFromInline struct Quiescence: ~Copyable {
  @usableFromInline enum State: Sendable {
    case running
    case waitedFor(@Sendable () -> Void)
    case over
  }

  @usableFromInline let state = Mutex(State.running)

  @inlinable init() {}

  /// Runs the action now if it is over, else then. One action can wait; an earlier one is run at once.
  @usableFromInline func whenOver(_ action: @escaping @Sendable () -> Void) {
    let due: (@Sendable () -> Void)? = state.withLock {
      switch $0 {
      case .running:
        $0 = .waitedFor(action)
        return nil
      case .waitedFor(let earlier):
        $0 = .waitedFor(action)
        return earlier
      case .over: return action
      }
    }
    due?()
  }

  @usableFromInline func declareOver() {
    let before = state.withLock { state in
      defer { state = .over }
      return state
    }
    if case .waitedFor(let action) = before { action() }
  }
}

/// A subscription that knows when none of its signals is being sent any more.
@usableFromInline
protocol QuiescentSubscription: Subscription {
  var quiescence: Quiescence { get }
}

extension QuiescentSubscription {
  @inlinable func cancel(then action: @escaping @Sendable () -> Void) {
    quiescence.whenOver(action)
    cancel()
  }
}

/// Cancels all, and runs the action when none of their signals is being sent any more.
@usableFromInline
func cancelAll(_ running: consuming [(any Subscription)?], then action: @escaping @Sendable () -> Void) {
  let countdown = Countdown(running.count + 1, action)
  for subscription in running {
    if let subscription { subscription.cancel { countdown.arrive() } } else { countdown.arrive() }
  }
  countdown.arrive()
}
