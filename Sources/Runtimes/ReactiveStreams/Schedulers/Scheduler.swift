import Dispatch
import Foundation
import RuntimeSupport
import Synchronization

/// Runs closures elsewhere, or later, as dispatch queues and operation queues do.
public protocol Scheduler: Sendable {
  /// The time since some fixed moment.
  var now: Duration { get }

  /// Runs an action soon, once, after those scheduled before it if the scheduler is serial.
  ///
  /// If it releases one without a call, the stream that waits for it sends nothing more. It can be cancelled then, as ever.
  func schedule(_ action: @escaping @Sendable () -> Void)

  /// Runs an action when `delay` has passed, unless the result is cancelled or dropped before.
  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable
}

/// Runs actions at once on the calling thread. Its time stands still: a timer on it ticks as long as it is asked to.
public struct ImmediateScheduler: Scheduler {
  /// The only one that is needed: it has no state.
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

/// Runs each action as an operation. A queue with `maxConcurrentOperationCount` 1 keeps their order; a suspended
/// queue runs what has become due when it is resumed.
extension OperationQueue: Scheduler {
  public var now: Duration { TimerSource.current.now }

  public func schedule(_ action: @escaping @Sendable () -> Void) { addOperation(action) }

  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    let scheduled = ScheduledAction(action)
    let timer = OneShotTimer(after: delay) { self.addOperation { scheduled.run() } }
    return AnyCancellable {
      timer.cancel()
      scheduled.cancel()
    }
  }
}

/// An action that runs once or is cancelled, and is let go of either way, while a queue may keep this until its time.
private final class ScheduledAction: Sendable {
  private let action: Mutex<(@Sendable () -> Void)?>

  init(_ action: @escaping @Sendable () -> Void) { self.action = Mutex(action) }

  func run() { take()?() }

  func cancel() { _ = take() }

  private func take() -> (@Sendable () -> Void)? { action.withLock { $0.take() } }
}

/// A scheduler whose time passes only when a test says so.
public final class TestScheduler: Scheduler {
  private let source = ManualTimerSource()

  /// Begins at zero; time passes by `advance` alone.
  public init() {}

  public var now: Duration { source.now }

  /// How many actions are waiting.
  public var pendingCount: Int { source.pendingCount }

  public func schedule(_ action: @escaping @Sendable () -> Void) { _ = timer(after: .zero, action) }

  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    AnyCancellable(timer(after: delay, action))
  }

  /// Lets time pass and runs what falls due, in order of time, then of scheduling, on this thread.
  public func advance(by duration: Duration = .zero) { source.advance(by: duration) }

  private func timer(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> OneShotTimer {
    TimerSource.$current.withValue(source) { OneShotTimer(after: delay, action) }
  }
}
