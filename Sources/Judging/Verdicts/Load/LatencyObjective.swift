import Results

/// What is asked of latencies: that a percentile, or the longest of all, takes no longer than a time.
public struct LatencyObjective: Sendable, CustomStringConvertible {
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

/// The percentiles that latencies are told by, and how many numbers each needs.
public enum TailPercentile: String, Sendable, Hashable, Codable, CaseIterable {
  case p50
  case p90
  case p99
  case p999 = "p99.9"
  case p9999 = "p99.99"

  /// The share of the numbers that does not exceed it.
  public var share: Double {
    switch self {
    case .p50: 0.5
    case .p90: 0.9
    case .p99: 0.99
    case .p999: 0.999
    case .p9999: 0.9999
    }
  }

  /// How many numbers lie beyond it at the least where it is told: with fewer it says little more than their maximum.
  public static let fewestBeyond = 10

  /// Without so many numbers it is not told.
  public var fewestNumbers: Int { Int((Double(Self.fewestBeyond) / (1 - share)).rounded()) }

  /// It, if there are numbers enough.
  public func value(of histogram: LogHistogram) -> UInt64? {
    histogram.count >= fewestNumbers ? histogram.percentile(share) : nil
  }
}
