/// Runs closures elsewhere, or later.
///
/// Dispatch queues and operation queues are schedulers; `TestScheduler` has virtual time, and
/// `ImmediateScheduler` runs what it gets at once.
public protocol Scheduler: Sendable {
  /// The time since some fixed moment.
  var now: Duration { get }

  /// Runs an action soon, after those scheduled before it if the scheduler is serial.
  func schedule(_ action: @escaping @Sendable () -> Void)

  /// Runs an action when `delay` has passed, unless the result is cancelled or dropped before.
  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable
}
