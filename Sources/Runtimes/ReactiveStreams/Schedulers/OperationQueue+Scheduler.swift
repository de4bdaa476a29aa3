import Foundation
import RuntimeTiming

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
