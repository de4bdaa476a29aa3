import Synchronization

/// An action that runs once or is cancelled, and is let go of either way.
///
/// A queue keeps what it was given until its time comes; it is given this, so that a cancelled action and all
/// it refers to go at once.
final class ScheduledAction: Subscription {
  private let action: Mutex<(@Sendable () -> Void)?>

  init(_ action: @escaping @Sendable () -> Void) { self.action = Mutex(action) }

  var isPending: Bool { action.withLock { $0 != nil } }

  func run() { take()?() }

  func request(_ demand: Subscribers.Demand) {}

  func cancel() { _ = take() }

  private func take() -> (@Sendable () -> Void)? { action.withLock { $0.take() } }
}
