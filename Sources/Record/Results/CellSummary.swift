/// The summary of a contender in a scenario: a row of summary.csv. `nil` means unknown; results/README.md explains the columns.
public struct CellSummary: Sendable, Equatable {
  public var run = ""
  public var contender = ""
  public var scenario = ""
  public var pattern = ""
  public var service = ""
  public var fanOut = 0
  public var inFlightLimit: Int?
  public var payloadBytes = 0
  public var samples = 0
  public var dropped = 0
  public var outcome = Outcome.failed
  public var medianNanoseconds: Double?
  public var medianLowNanoseconds: Double?
  public var medianHighNanoseconds: Double?
  public var p90Nanoseconds: Double?
  public var p99Nanoseconds: Double?
  public var nanosecondsPerUpload: Double?
  public var overheadNanosecondsPerUpload: Double?
  public var reference: String?
  public var ratio: Double?
  public var ratioLow: Double?
  public var ratioHigh: Double?
  public var rankGroup: Int?
  public var efficiency: Double?
  public var cpuNanosecondsPerUpload: Double?
  public var switchesPerUpload: Double?
  public var allocationsPerUpload: Double?
  public var retainsPerUpload: Double?
  public var peakThreads: Int?
  public var peakRSSBytes: Int?
  public var sourceLines: Int?
  public var shipsWith: String?
  public var context: String?
  public var failureToCompletionNanoseconds: Double?
  public var failureToStopNanoseconds: Double?
  public var startsAfterFailure: Double?
  public var wastedBytes: Double?
  public var heartbeatWorstNanoseconds: Int?
  public var verdict: Verdict?
  public var isWithinMargin: Bool?
  public var roundsToResolve: Int?
  public var unresolvedReason: String?
  public var disturbedRounds: Int?
  public var rankProbabilities: RankProbabilities?
  public var objectsPerUpload: Double?
  public var machine: String?
  public var bytesPerSecond: Double?
  public var bytesPerUpload: Double?
  public var faultsPerUpload: Double?
  public var voluntarySwitchesPerUpload: Double?
  public var involuntarySwitchesPerUpload: Double?
  public var allocatedBytesPerUpload: Double?
  public var releasesPerUpload: Double?
  public var exactCounts: ExactCounts?
  public var countRanges: CountRanges?
  public var postsBefore: Double?
  public var cpuRatio: Double?
  public var cpuRatioLow: Double?
  public var cpuRatioHigh: Double?
  public var cpuVerdict: Verdict?
  public var aboveServiceNanosecondsPerUpload: Double?
  public var cpuAboveServiceNanosecondsPerUpload: Double?

  public init() {}
}

extension CellSummary: CSVRecord {
  public static let columns: [Column<CellSummary>] = [
    Column("run", \.run, unit: "name", check: .runName),
    Column("contender", \.contender, unit: "name"),
    Column("scenario", \.scenario, unit: "name"),
    Column("pattern", \.pattern, unit: "name"),
    Column("service", \.service, unit: "name"),
    Column("fan_out", \.fanOut, unit: "count"),
    Column("in_flight_limit", \.inFlightLimit, unit: "count", check: .positive),
    Column("payload_bytes", \.payloadBytes, unit: "bytes"),
    Column("samples", \.samples, unit: "count"),
    Column("dropped", \.dropped, unit: "count"),
    Column("outcome", \.outcome),
    Column("median_ns", \.medianNanoseconds, unit: "ns", from: { $0.median(\.wall) }),
    Column("median_ci_low_ns", \.medianLowNanoseconds, unit: "ns"),
    Column("median_ci_high_ns", \.medianHighNanoseconds, unit: "ns"),
    Column("p90_ns", \.p90Nanoseconds, unit: "ns"),
    Column("p99_ns", \.p99Nanoseconds, unit: "ns"),
    Column("ns_per_upload", \.nanosecondsPerUpload, unit: "ns"),
    Column("overhead_ns_per_upload", \.overheadNanosecondsPerUpload, unit: "ns", check: .any),
    Column("reference", \.reference, unit: "name"),
    Column("ratio", \.ratio, unit: "ratio"),
    Column("ratio_ci_low", \.ratioLow, unit: "ratio"),
    Column("ratio_ci_high", \.ratioHigh, unit: "ratio"),
    Column("rank_group", \.rankGroup, unit: "count", check: .positive),
    Column("efficiency", \.efficiency, unit: "ratio", from: { $0.median(\.efficiency) }),
    Column(
      "cpu_ns_per_upload", \.cpuNanosecondsPerUpload, unit: "ns",
      from: { $0.median { $0.perUpload($0.cpuNanoseconds) } }),
    Column(
      "switches_per_upload", \.switchesPerUpload, unit: "count",
      from: { $0.median { $0.perUpload($0.switches) } }),
    Column(
      "allocations_per_upload", \.allocationsPerUpload, unit: "count",
      from: { $0.medianPerUpload(\.allocations) }),
    Column("retains_per_upload", \.retainsPerUpload, unit: "count", from: { $0.medianPerUpload(\.retains) }),
    Column("peak_threads", \.peakThreads, unit: "count", from: { $0.most(\.peakThreads) }),
    Column("peak_rss_bytes", \.peakRSSBytes, unit: "bytes", from: { $0.most(\.peakRSSBytes) }),
    Column("source_lines", \.sourceLines, unit: "count"),
    Column(
      "failure_to_completion_ns", \.failureToCompletionNanoseconds, unit: "ns",
      from: { $0.median { $0.failureToCompletionNanoseconds.map(Double.init) } }),
    Column(
      "failure_to_stop_ns", \.failureToStopNanoseconds, unit: "ns",
      from: { $0.median { $0.failureToStopNanoseconds.map(Double.init) } }),
    Column(
      "starts_after_failure", \.startsAfterFailure, unit: "count",
      from: { $0.median { $0.perPost($0.startsAfterFailure) } }),
    Column("wasted_bytes", \.wastedBytes, unit: "bytes", from: { $0.median { $0.perPost($0.wastedBytes) } }),
    Column(
      "heartbeat_worst_ns", \.heartbeatWorstNanoseconds, unit: "ns",
      from: { $0.most(\.heartbeatWorstNanoseconds) }),
    Column("verdict", \.verdict),
    Column("within_margin", \.isWithinMargin),
    Column("rounds_to_resolve", \.roundsToResolve, unit: "count", check: .positive),
    Column("unresolved_reason", \.unresolvedReason, unit: "text"),
    Column("disturbed_rounds", \.disturbedRounds, unit: "count"),
    Column("rank_probabilities", \.rankProbabilities, unit: "probabilities"),
    Column("objects_per_upload", \.objectsPerUpload, unit: "count", from: { $0.medianPerUpload(\.objects) }),
    Column("machine", \.machine, unit: "name"),
    Column("bytes_per_second", \.bytesPerSecond, unit: "bytes/s"),
    Column(
      "bytes_per_upload", \.bytesPerUpload, unit: "bytes",
      from: { $0.median { $0.perUpload($0.inFlightBytes.map(Double.init)) } }),
    Column(
      "faults_per_upload", \.faultsPerUpload, unit: "count", from: { $0.medianPerUpload(\.minorFaults) }),
    Column(
      "voluntary_switches_per_upload", \.voluntarySwitchesPerUpload, unit: "count",
      from: { $0.medianPerUpload(\.voluntarySwitches) }),
    Column(
      "involuntary_switches_per_upload", \.involuntarySwitchesPerUpload, unit: "count",
      from: { $0.medianPerUpload(\.involuntarySwitches) }),
    Column(
      "allocated_bytes_per_upload", \.allocatedBytesPerUpload, unit: "bytes",
      from: { $0.medianPerUpload(\.allocatedBytes) }),
    Column(
      "releases_per_upload", \.releasesPerUpload, unit: "count", from: { $0.medianPerUpload(\.releases) }),
    Column("exact_counts", \.exactCounts, unit: "names"),
    Column("count_ranges", \.countRanges, unit: "counts"),
    Column(
      "posts_before", \.postsBefore, unit: "count", from: { $0.median { $0.postsBefore.map(Double.init) } }),
    Column("cpu_ratio", \.cpuRatio, unit: "ratio"),
    Column("cpu_ratio_ci_low", \.cpuRatioLow, unit: "ratio"),
    Column("cpu_ratio_ci_high", \.cpuRatioHigh, unit: "ratio"),
    Column("cpu_verdict", \.cpuVerdict),
    Column("above_service_ns_per_upload", \.aboveServiceNanosecondsPerUpload, unit: "ns", check: .any),
    Column("cpu_above_service_ns_per_upload", \.cpuAboveServiceNanosecondsPerUpload, unit: "ns", check: .any),
    Column("ships_with", \.shipsWith, unit: "text"),
    Column("completions", \.context, unit: "name"),
  ]

  /// The number of columns in the first version of the file, which ended with `source_lines`.
  public static let firstColumnCount = 31

  public var width: (scenario: String, fanOut: Int)? { (scenario, fanOut) }

  public func validate() throws(FieldProblem) {
    if samples == 0, medianNanoseconds != nil {
      throw FieldProblem("median_ns has a value, but samples is 0")
    }
  }
}

/// The result of comparing a contender with the reference in a scenario.
public enum Verdict: String, Sendable, Hashable, CaseIterable, Codable {
  case faster, slower
  /// The contender and the reference are proved to differ by less than the margin, and no difference is proved.
  case equivalent
  /// Neither a difference nor equivalence is proved.
  case unresolved
}
