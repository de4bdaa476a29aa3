extension Duration {
  /// As clocks count: whole nanoseconds, from none to about 292 years.
  package var wholeNanoseconds: Int64 {
    guard self > .zero else { return 0 }
    let (seconds, attoseconds) = components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (nanoseconds, overflows) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooLong || overflows ? .max : nanoseconds
  }
}
