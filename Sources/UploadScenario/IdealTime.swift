/// The least time that any contender could take.
public enum IdealTime {
  /// A lower bound for a trace with `limit` uploads in flight (nil: all), the post included.
  ///
  /// No schedule beats its longest upload, nor the sum of all uploads spread evenly over `limit` (Graham, 1969).
  public static func nanoseconds(of trace: LatencyTrace, pattern: Pattern, limit: Int?) -> UInt64 {
    let uploads = trace.uploadNanoseconds
    let total = uploads.reduce(0, +)
    switch pattern {
    case .sequence, .zipSerial:
      return total + trace.postNanoseconds
    case .publish, .zip:
      let width = UInt64(max(1, min(limit ?? uploads.count, uploads.count)))
      return max(uploads.max() ?? 0, (total + width - 1) / width) + trace.postNanoseconds
    }
  }
}
