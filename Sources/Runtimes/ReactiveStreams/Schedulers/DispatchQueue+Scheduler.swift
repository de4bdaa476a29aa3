import Dispatch
import RuntimeTiming

extension DispatchQueue: Scheduler {
  public var now: Duration { .nanoseconds(DispatchTime.now().uptimeNanoseconds) }

  public func schedule(_ action: @escaping @Sendable () -> Void) { async(execute: action) }

  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    let scheduled = ScheduledAction(action)
    asyncAfter(deadline: .now() + delay.dispatchInterval) { scheduled.run() }
    return AnyCancellable(scheduled)
  }
}
