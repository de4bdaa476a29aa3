import Dispatch
import RuntimeSupport
import Synchronization

/// Runs closures elsewhere, or later, as dispatch queues do.
public protocol Scheduler: Sendable {
  /// The time since an unspecified moment.
  var now: Duration { get }

  /// Runs an action soon, once, after those scheduled before it if the scheduler is serial.
  ///
  /// If it releases an action without a call, the waiting stream sends nothing more; it can still be cancelled.
  func schedule(_ action: @escaping @Sendable () -> Void)

  /// Runs an action when `delay` has passed, unless the result is cancelled or dropped before.
  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable
}

/// Runs actions at once on the calling thread. Its time stands still: a timer on it ticks as long as there is demand.
public struct ImmediateScheduler: Scheduler {
  /// The shared instance: it has no state.
  public static let shared = ImmediateScheduler()

  public var now: Duration { .zero }
  public func schedule(_ action: @escaping @Sendable () -> Void) { action() }
  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    action()
    return AnyCancellable {}
  }
}

extension DispatchQueue: Scheduler {
  public var now: Duration { TimerSource.current.now }

  public func schedule(_ action: @escaping @Sendable () -> Void) { async(execute: action) }

  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    AnyCancellable(OneShotTimer(after: delay, on: self, action))
  }
}

extension OneShotTimer: Subscription {
  public func request(_ demand: Subscribers.Demand) {}
}

/// A scheduler whose time passes only when a test advances it.
public final class TestScheduler: Scheduler {
  private let source = ManualTimerSource()

  /// Begins at zero.
  public init() {}

  public var now: Duration { source.now }

  /// How many actions are waiting.
  public var pendingCount: Int { source.pendingCount }

  public func schedule(_ action: @escaping @Sendable () -> Void) { _ = timer(after: .zero, action) }

  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    AnyCancellable(timer(after: delay, action))
  }

  /// Lets time pass and runs due actions, in order of time, then of scheduling, on this thread.
  public func advance(by duration: Duration = .zero) { source.advance(by: duration) }

  private func timer(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> OneShotTimer {
    TimerSource.$current.withValue(source) { OneShotTimer(after: delay, action) }
  }
}
