/// A histogram of whole numbers in fixed memory, after Gil Tene's HDR histogram: each power of two has equally many buckets, so a bucket
/// is at most ``relativePrecision`` of its numbers wide. The maximum is exact.
public struct LogHistogram: Sendable, Hashable {
  /// The buckets for each power of two.
  private static let parts = 1 << partBits
  private static let partBits = 7

  /// The largest width of a bucket, as a share of its smallest number: 1/128.
  public static let relativePrecision = 1 / Double(parts)

  public private(set) var count = 0
  /// The exact maximum; `nil` of an empty histogram.
  public private(set) var max: UInt64?
  private var counts: [Int]

  public init() { counts = Array(repeating: 0, count: Self.bucketCount) }

  /// A bucket for numbers from `low` to `high`, both included, with at least one.
  public struct Bucket: Sendable, Equatable {
    public let low: UInt64
    public let high: UInt64
    public let count: Int
  }

  /// The buckets that are not empty, in ascending order.
  public var buckets: [Bucket] {
    counts.indices.compactMap { index in
      guard counts[index] > 0 else { return nil }
      let bounds = Self.bounds(of: index)
      return Bucket(low: bounds.lowerBound, high: bounds.upperBound, count: counts[index])
    }
  }

  public mutating func add(_ value: UInt64) {
    counts[Self.index(of: value)] += 1
    count += 1
    max = Swift.max(max ?? 0, value)
  }

  public mutating func add(_ other: LogHistogram) {
    for index in counts.indices { counts[index] += other.counts[index] }
    count += other.count
    if let most = other.max { max = Swift.max(max ?? 0, most) }
  }

  /// The nearest-rank percentile for a share above 0, too high by at most ``relativePrecision``; `nil` of an empty histogram.
  public func percentile(_ share: Double) -> UInt64? {
    guard let max else { return nil }
    // Ignores the rounding error of a product such as 0.99 × 100, which is slightly above 99.
    let rank = Swift.min(
      count, Swift.max(1, Int((share * Double(count) - 1e-9 * Double(count)).rounded(.up))))
    var seen = 0
    for index in counts.indices {
      seen += counts[index]
      if seen >= rank { return Swift.min(max, Self.bounds(of: index).upperBound) }
    }
    return max
  }

  // Each number below 2 × parts has its own bucket.

  private static let bucketCount = (64 - partBits + 1) * parts

  private static func index(of value: UInt64) -> Int {
    let shift = Swift.max(0, 63 - value.leadingZeroBitCount - partBits)
    return shift * parts + Int(value >> UInt64(shift))
  }

  private static func bounds(of index: Int) -> ClosedRange<UInt64> {
    guard index >= 2 * parts else { return UInt64(index)...UInt64(index) }
    let shift = index / parts - 1
    let low = UInt64(index - shift * parts) << UInt64(shift)
    return low...(low + (1 << UInt64(shift) - 1))
  }
}

extension LogHistogram: Codable {
  /// Decodes the maximum, then the index and count of each bucket that is not empty.
  public init(from decoder: any Decoder) throws {
    self.init()
    var numbers = try decoder.unkeyedContainer()
    let most = try numbers.decode(UInt64.self)
    while !numbers.isAtEnd {
      let index = try numbers.decode(Int.self)
      let bucket = try numbers.decode(Int.self)
      guard counts.indices.contains(index), bucket > 0 else {
        throw DecodingError.dataCorruptedError(
          in: numbers, debugDescription: "a histogram bucket has no numbers or an unknown index")
      }
      counts[index] += bucket
      count += bucket
    }
    if count > 0 { max = most }
  }

  public func encode(to encoder: any Encoder) throws {
    var numbers = encoder.unkeyedContainer()
    try numbers.encode(max ?? 0)
    for index in counts.indices where counts[index] > 0 {
      try numbers.encode(index)
      try numbers.encode(counts[index])
    }
  }
}

/// The number of posts (jobs of uploads) with about the same latency: a row of latencies.csv.
public struct LatencyBucket: Sendable, Equatable {
  public var run = ""
  public var contender = ""
  public var scenario = ""
  public var offeredPerSecond = 0.0
  public var lowNanoseconds = 0
  public var highNanoseconds = 0
  public var posts = 0

  public init() {}
}

extension LatencyBucket: CSVRecord {
  public static let columns: [Column<LatencyBucket>] = [
    Column("run", \.run, unit: "name", check: .runName),
    Column("contender", \.contender, unit: "name"),
    Column("scenario", \.scenario, unit: "name"),
    Column("offered_per_s", \.offeredPerSecond, unit: "posts per second"),
    Column("latency_low_ns", \.lowNanoseconds, unit: "ns"),
    Column("latency_high_ns", \.highNanoseconds, unit: "ns"),
    Column("posts", \.posts, unit: "count", check: .positive),
  ]

  public func validate() throws(FieldProblem) {
    if highNanoseconds < lowNanoseconds { throw FieldProblem("latency_high_ns is below latency_low_ns") }
  }
}
