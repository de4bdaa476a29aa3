import Dispatch
import RuntimeSupport
import Synchronization

/// Runs closures on another thread or at a later time, like a dispatch queue.
public protocol Scheduler: Sendable {
  /// The current time, counted from an unspecified start.
  var now: Duration { get }

  /// Runs an action once, as soon as possible. A serial scheduler runs actions in the order of these calls.
  ///
  /// If the scheduler releases an action without running it, the waiting stream sends no more signals, but can be cancelled.
  func schedule(_ action: @escaping @Sendable () -> Void)

  /// Runs an action after `delay`, unless the result is cancelled or released before.
  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable
}

/// Runs actions immediately on the calling thread. Its time does not pass, so a timer ticks without pauses while it has demand.
public struct ImmediateScheduler: Scheduler {
  /// The shared instance.
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

  /// Creates a scheduler whose time is zero.
  public init() {}

  public var now: Duration { source.now }

  /// The number of waiting actions.
  public var pendingCount: Int { source.pendingCount }

  public func schedule(_ action: @escaping @Sendable () -> Void) { _ = timer(after: .zero, action) }

  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    AnyCancellable(timer(after: delay, action))
  }

  /// Advances the time and runs due actions on this thread, in order of their time. Actions of the same time keep their order.
  public func advance(by duration: Duration = .zero) { source.advance(by: duration) }

  private func timer(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> OneShotTimer {
    TimerSource.$current.withValue(source) { OneShotTimer(after: delay, action) }
  }
}
