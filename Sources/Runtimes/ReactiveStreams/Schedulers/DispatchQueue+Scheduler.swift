import Dispatch
import RuntimeTiming

extension DispatchQueue: Scheduler {
  public var now: Duration { TimerSource.current.now }

  public func schedule(_ action: @escaping @Sendable () -> Void) { async(execute: action) }

  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    AnyCancellable(RunningTimer(OneShotTimer(after: delay, on: self, action)))
  }
}

/// A timer as what can be cancelled, which gives everything back at once.
private final class RunningTimer: Subscription {
  private let timer: OneShotTimer

  init(_ timer: OneShotTimer) { self.timer = timer }

  func request(_ demand: Subscribers.Demand) {}
  func cancel() { timer.cancel() }
}
