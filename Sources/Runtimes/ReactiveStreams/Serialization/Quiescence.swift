import RuntimeSupport
import Synchronization

/// The moment from which none of a subscription's signals is under way, and one action that waits for it.
@usableFromInline
struct Quiescence: ~Copyable {
  @usableFromInline
  enum State: Sendable {
    case running
    case waitedFor(@Sendable () -> Void)
    case over
  }

  @usableFromInline let state = Mutex(State.running)

  @inlinable init() {}

  /// Runs the action now if it is over, else then. One action can wait; an earlier one is run at once.
  @usableFromInline
  func whenOver(_ action: @escaping @Sendable () -> Void) {
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

  @usableFromInline
  func declareOver() {
    let before = state.withLock { state in
      defer { state = .over }
      return state
    }
    if case .waitedFor(let action) = before { action() }
  }
}

/// A subscription that knows when none of its signals is under way any more.
@usableFromInline
protocol QuiescentSubscription: Subscription {
  var quiescence: Quiescence { get }
}

extension QuiescentSubscription {
  @inlinable
  package func cancel(then action: @escaping @Sendable () -> Void) {
    quiescence.whenOver(action)
    cancel()
  }
}

/// Cancels all, and runs the action when none of their signals is under way any more.
@usableFromInline
func cancelAll(_ running: consuming [(any Subscription)?], then action: @escaping @Sendable () -> Void) {
  let countdown = Countdown(running.count + 1, action)
  for subscription in running {
    if let subscription { subscription.cancel { countdown.arrive() } } else { countdown.arrive() }
  }
  countdown.arrive()
}
