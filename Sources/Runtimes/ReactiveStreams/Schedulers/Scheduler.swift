import Foundation

/// Runs closures elsewhere, or later.
public protocol Scheduler: Sendable {
  /// The time since some fixed moment.
  var now: Duration { get }

  /// Runs an action soon, after those scheduled before it if the scheduler is serial.
  func schedule(_ action: @escaping @Sendable () -> Void)

  /// Runs an action when `delay` has passed, unless the result is cancelled or dropped before.
  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable
}

/// Runs actions at once on the calling thread; delays are not waited for.
public struct ImmediateScheduler: Scheduler {
  public static let shared = ImmediateScheduler()

  public var now: Duration { .zero }
  public func schedule(_ action: @escaping @Sendable () -> Void) { action() }
  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    action()
    return AnyCancellable {}
  }
}
