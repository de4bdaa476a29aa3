/// The summary of a contender under a load of one rate in a scenario: a row of load_summary.csv.
public struct LoadSummary: Sendable, Equatable {
  public var subject = LoadSubject()
  public var offeredPerSecond = 0.0
  public var windows = 0
  public var disturbedWindows = 0
  public var posts = 0
  public var outcome = Outcome.failed
  public var reason: String?
  public var figures = LoadFigures()
  public var objectivePercentile: String?
  public var objectiveNanoseconds: Int?
  public var verdict: LoadVerdict?

  public init() {}
}

extension LoadSummary: CSVRecord {
  public static let columns: [Column<LoadSummary>] =
    LoadSubject.columns.map { $0.part(of: \.subject) } + windows
    + LoadFigures.columns.map { $0.part(of: \.figures) } + judgement

  private static let windows: [Column<LoadSummary>] = [
    Column("offered_per_s", \.offeredPerSecond, unit: "posts per second"),
    Column("windows", \.windows, unit: "count"),
    Column("windows_disturbed", \.disturbedWindows, unit: "count"),
    Column("posts", \.posts, unit: "count"),
    Column("outcome", \.outcome),
    Column("reason", \.reason, unit: "text"),
    Column("achieved_per_s", \.figures.achievedPerSecond, unit: "posts per second"),
  ]

  private static let judgement: [Column<LoadSummary>] = [
    Column("slo_percentile", \.objectivePercentile, unit: "name"),
    Column("slo_ns", \.objectiveNanoseconds, unit: "ns", check: .positive),
    Column("verdict", \.verdict),
  ]
}

/// A contender and its scenario: the first columns of load.csv and load_summary.csv.
public struct LoadSubject: FilledRecord, Equatable {
  public var run = ""
  public var contender = ""
  public var scenario = ""
  public var pattern = ""
  public var service = ""
  public var fanOut = 0
  public var inFlightLimit: Int?
  public var payloadBytes = 0
  /// How the start times of posts (jobs of uploads) are spaced: `poisson` or `fixed`.
  public var schedule = ""

  public init() {}

  static let columns: [Column<LoadSubject>] = [
    Column("run", \.run, unit: "name", check: .runName),
    Column("contender", \.contender, unit: "name"),
    Column("scenario", \.scenario, unit: "name"),
    Column("pattern", \.pattern, unit: "name"),
    Column("service", \.service, unit: "name"),
    Column("fan_out", \.fanOut, unit: "count"),
    Column("in_flight_limit", \.inFlightLimit, unit: "count", check: .positive),
    Column("payload_bytes", \.payloadBytes, unit: "bytes"),
    Column("schedule", \.schedule, unit: "`poisson`, `fixed`", check: .name),
  ]
}

/// The highest rate of posts (jobs of uploads) at which a contender meets the latency objective: a row of limits.csv.
public struct LoadLimit: Sendable, Equatable {
  public var run = ""
  public var contender = ""
  public var scenario = ""
  public var objectivePercentile = ""
  public var objectiveNanoseconds = 0
  public var heldPerSecond: Double?
  public var missedPerSecond: Double?
  public var windows = 0
  public var isMonotone = true
  public var outcome = Outcome.failed
  public var reason: String?

  public init() {}
}

extension LoadLimit: CSVRecord {
  public static let columns: [Column<LoadLimit>] = [
    Column("run", \.run, unit: "name", check: .runName),
    Column("contender", \.contender, unit: "name"),
    Column("scenario", \.scenario, unit: "name"),
    Column("slo_percentile", \.objectivePercentile, unit: "name"),
    Column("slo_ns", \.objectiveNanoseconds, unit: "ns", check: .positive),
    Column("held_per_s", \.heldPerSecond, unit: "posts per second"),
    Column("missed_per_s", \.missedPerSecond, unit: "posts per second"),
    Column("windows", \.windows, unit: "count"),
    Column("monotone", \.isMonotone),
    Column("outcome", \.outcome),
    Column("reason", \.reason, unit: "text"),
  ]
}

/// What was measured in one window of load, or in all windows of one rate. `nil` means unknown.
public struct LoadFigures: FilledRecord, Equatable {
  public var achievedPerSecond: Double?
  public var p50Nanoseconds: Int?
  public var p90Nanoseconds: Int?
  public var p99Nanoseconds: Int?
  public var p999Nanoseconds: Int?
  public var p9999Nanoseconds: Int?
  public var maxNanoseconds: Int?
  public var latenessP50Nanoseconds: Int?
  public var latenessP99Nanoseconds: Int?
  public var latenessMaxNanoseconds: Int?
  public var heldUpP99Nanoseconds: Int?
  public var processShare: Double?
  public var machineShare: Double?
  public var othersShare: Double?

  public init() {}

  /// All columns of both files, except the achieved rate, which is not next to the others.
  static let columns: [Column<LoadFigures>] = [
    Column("p50_ns", \.p50Nanoseconds, unit: "ns"),
    Column("p90_ns", \.p90Nanoseconds, unit: "ns"),
    Column("p99_ns", \.p99Nanoseconds, unit: "ns"),
    Column("p99_9_ns", \.p999Nanoseconds, unit: "ns"),
    Column("p99_99_ns", \.p9999Nanoseconds, unit: "ns"),
    Column("max_ns", \.maxNanoseconds, unit: "ns"),
    Column("lateness_p50_ns", \.latenessP50Nanoseconds, unit: "ns"),
    Column("lateness_p99_ns", \.latenessP99Nanoseconds, unit: "ns"),
    Column("lateness_max_ns", \.latenessMaxNanoseconds, unit: "ns"),
    Column("held_up_p99_ns", \.heldUpP99Nanoseconds, unit: "ns"),
    Column("process_cpu_share", \.processShare, unit: "share"),
    Column("machine_cpu_share", \.machineShare, unit: "share"),
    Column("others_cpu_share", \.othersShare, unit: "share"),
  ]
}
