import Dispatch

extension DispatchQueue: Scheduler {
  public var now: Duration { .nanoseconds(DispatchTime.now().uptimeNanoseconds) }

  public func schedule(_ action: @escaping @Sendable () -> Void) { async(execute: action) }

  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    let scheduled = ScheduledAction(action)
    asyncAfter(deadline: .now() + delay.dispatchInterval) { scheduled.run() }
    return AnyCancellable(scheduled)
  }
}

extension Duration {
  /// The same, or as close as nanoseconds come: from zero to 292 years.
  var dispatchInterval: DispatchTimeInterval {
    let nanoseconds = attoseconds / 1_000_000_000
    return .nanoseconds(Int(clamping: max(0, nanoseconds)))
  }
}
