import Results

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
