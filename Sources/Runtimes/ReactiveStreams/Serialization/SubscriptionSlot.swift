import RuntimeSupport
import Synchronization

/// A place for a subscription. Any thread may cancel it, even before the subscription has arrived.
///
/// `@unchecked Sendable`: `subscription` is written once, before `arrived` is set, and read only by the one call that finds
/// that bit and sets `ended`.
@usableFromInline final class SubscriptionSlot: @unchecked Sendable {
  @usableFromInline static var arrived: UInt8 { 1 }
  @usableFromInline static var ended: UInt8 { 2 }
  /// Set by a cancellation, also after the end of the stream.
  @usableFromInline static var cancelled: UInt8 { 4 }

  @usableFromInline let bits = Atomic<UInt8>(0)
  @usableFromInline @exclusivity(unchecked) var subscription: (any Subscription)?

  @inlinable init() {}

  @inlinable var isEnded: Bool { bits.load(ordering: .relaxed) & Self.ended != 0 }
  @inlinable var isCancelled: Bool { bits.load(ordering: .relaxed) & Self.cancelled != 0 }

  /// Stores a subscription. If the stream has ended or a subscription is already stored, cancels the new one and returns false.
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

  /// Marks the stream as ended. The first call takes the stored subscription, if any.
  @inlinable func takeEnd(_ flags: UInt8 = ended) -> (isFirst: Bool, held: (any Subscription)?) {
    let old = bits.bitwiseOr(flags, ordering: .acquiringAndReleasing).oldValue
    return (old & Self.ended == 0, old == Self.arrived ? subscription.take() : nil)
  }

  /// Marks the stream as ended and releases the stored subscription. Returns whether this is the first call.
  @inlinable func end() -> Bool { takeEnd().isFirst }

  /// Marks the stream as ended and cancels the stored subscription. Returns whether this is the first call.
  @inlinable func endAndCancel() -> Bool {
    let (isFirst, held) = takeEnd(Self.ended | Self.cancelled)
    held?.cancel()
    return isFirst
  }

  /// The first call marks the stream as ended, cancels the subscription, and runs the action after the last signal.
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

/// Runs an action after the last signal of a subscription has returned.
@usableFromInline struct Quiescence: ~Copyable {
  @usableFromInline enum State: Sendable {
    case running
    case waitedFor(@Sendable () -> Void)
    case over
  }

  @usableFromInline let state = Mutex(State.running)

  @inlinable init() {}

  /// Runs the action when `declareOver` is called. Only one can wait: a second call immediately runs the first call's action.
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

/// Cancels all subscriptions and runs the action after their last signals have returned.
@usableFromInline
func cancelAll(_ running: consuming [(any Subscription)?], then action: @escaping @Sendable () -> Void) {
  let countdown = Countdown(running.count + 1, action)
  for subscription in running {
    if let subscription { subscription.cancel { countdown.arrive() } } else { countdown.arrive() }
  }
  countdown.arrive()
}
