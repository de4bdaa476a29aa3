import Dispatch

extension Duration {
  /// As Dispatch counts: whole nanoseconds, from none to about 292 years.
  package var dispatchInterval: DispatchTimeInterval {
    guard self > .zero else { return .nanoseconds(0) }
    let (seconds, attoseconds) = components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (nanoseconds, overflows) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return .nanoseconds(isTooLong || overflows ? .max : Int(nanoseconds))
  }
}
