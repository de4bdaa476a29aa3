import Results

/// What is asked of latencies: that a percentile, or the longest of all, takes no longer than a time.
public struct LatencyObjective: Sendable, Hashable, CustomStringConvertible {
  /// nil: the longest.
  public let percentile: TailPercentile?
  public let nanoseconds: UInt64

  public init(percentile: TailPercentile?, nanoseconds: UInt64) {
    self.percentile = percentile
    self.nanoseconds = nanoseconds
  }

  /// Such as `p99`, or `max`.
  public var name: String { percentile?.rawValue ?? "max" }

  public var description: String { "\(name) ≤ \(NumberText.duration(Double(nanoseconds)).trimmed)" }

  /// How many posts must stand behind it.
  public var fewestPosts: Int { percentile?.fewestNumbers ?? 1 }

  /// Whether the latencies keep it; nil if they are too few to say.
  public func isKept(by latencies: LogHistogram) -> Bool? {
    guard latencies.count >= fewestPosts else { return nil }
    let latency = percentile.map { latencies.percentile($0.share) } ?? latencies.max
    return latency.map { $0 <= nanoseconds }
  }
}
