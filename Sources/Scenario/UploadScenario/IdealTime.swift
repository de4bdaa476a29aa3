/// The least time that any contender could take.
public enum IdealTime {
  /// A lower bound for a trace, the post included; preparations and reads count as nothing.
  ///
  /// No schedule of a fan-out beats its longest upload, nor the sum of all uploads spread evenly over those that may be in
  /// flight (Graham, 1969).
  public static func nanoseconds(of trace: LatencyTrace, scenario: Scenario) -> UInt64 {
    let requests = trace.uploadNanoseconds
    let uploads: [UInt64]
    switch scenario.pattern {
    case .presigned: uploads = pairs(requests).map { $0 + $1 }
    case .race:
      let hedge = UInt64(max(0, scenario.hedgeDelay / .nanoseconds(1)))
      uploads = pairs(requests).map { min($0, hedge + $1) }
    default: uploads = requests
    }
    let total = uploads.reduce(0, +)
    if scenario.pattern.isSerial { return total + trace.postNanoseconds }
    let most = scenario.pattern == .stream ? scenario.uploaders : scenario.limit ?? uploads.count
    let width = UInt64(max(1, min(most, uploads.count)))
    return max(uploads.max() ?? 0, (total + width - 1) / width) + trace.postNanoseconds
  }

  private static func pairs(_ requests: [UInt64]) -> [(UInt64, UInt64)] {
    stride(from: 0, to: requests.count, by: 2).map { (requests[$0], requests[$0 + 1]) }
  }
}
