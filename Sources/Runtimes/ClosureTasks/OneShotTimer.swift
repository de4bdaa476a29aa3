import Dispatch

/// Calls back once after a while, on a global queue, unless it is cancelled first.
///
/// A timer source rather than `asyncAfter`: cancelling it gives everything back at once.
/// `@unchecked Sendable`: a dispatch source may be used from any thread.
struct OneShotTimer: @unchecked Sendable {
  private let source: any DispatchSourceTimer

  init(after delay: Duration, _ fire: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: .global())
    source.schedule(deadline: .now() + delay.dispatchInterval)
    source.setEventHandler { [source] in
      source.cancel()
      fire()
    }
    source.activate()
  }

  func cancel() { source.cancel() }
}

extension Duration {
  /// As Dispatch counts: whole nanoseconds, at most about 292 years.
  var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return .nanoseconds(overflow ? .max : max(0, Int(whole) &+ Int(attoseconds / 1_000_000_000)))
  }
}
