/// All windows of one contender, scenario and rate together: a row of load_summary.csv.
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
    Column(
      "offered_per_s", \.offeredPerSecond, unit: "posts per second",
      "How many posts were to arrive in a second, on average."),
    Column("windows", \.windows, unit: "count", "Windows that the numbers of this row are made of."),
    Column(
      "windows_disturbed", \.disturbedWindows, unit: "count",
      "Windows in which others had the processors. They are left out, unless they are more than the rest."),
    Column("posts", \.posts, unit: "count", "Posts that the percentiles are made of."),
    Column("outcome", \.outcome, "`measured` if every window is; otherwise the contender has no verdict."),
    Column("reason", \.reason, unit: "text", "Why the outcome is not `measured`."),
    Column(
      "achieved_per_s", \.figures.achievedPerSecond, unit: "posts per second",
      "Posts that ended ÷ the windows, each with what its last posts took longer than those of its first quarter."
    ),
  ]

  private static let judgement: [Column<LoadSummary>] = [
    Column(
      "slo_percentile", \.objectivePercentile, unit: "name",
      "The percentile of latency that a time was asked of, such as `p99`, or `max`. Empty where none was."),
    Column(
      "slo_ns", \.objectiveNanoseconds, unit: "ns",
      "The time it was to take at most.", check: .positive),
    Column(
      "verdict", \.verdict,
      "What all windows together say: `saturated` if most of them were. Empty where the outcome is not `measured`, and where too few posts stand behind the percentile that was asked for."
    ),
  ]
}

/// What was offered to whom: what every file of a load run begins its rows with.
public struct LoadSubject: FilledRecord, Equatable {
  public var run = ""
  public var contender = ""
  public var scenario = ""
  public var pattern = ""
  public var service = ""
  public var fanOut = 0
  public var inFlightLimit: Int?
  public var payloadBytes = 0
  /// `poisson` or `fixed`.
  public var schedule = ""

  public init() {}
}

extension LoadSubject {
  /// What every file that has a row for each contender and rate begins with.
  static let columns: [Column<LoadSubject>] = [
    Column("run", \.run, unit: "name", "Name of the run.", check: .runName),
    Column("contender", \.contender, unit: "name", "Whose implementation ran."),
    Column("scenario", \.scenario, unit: "name", "The scenario's name."),
    Column("pattern", \.pattern, unit: "name", "The shape of the job."),
    Column("service", \.service, unit: "name", "What was uploaded to."),
    Column("fan_out", \.fanOut, unit: "count", "As in `samples.csv`."),
    Column(
      "in_flight_limit", \.inFlightLimit, unit: "count",
      "Uploads of one post that may be in flight at once. Empty = no limit.", check: .positive),
    Column(
      "payload_bytes", \.payloadBytes, unit: "bytes",
      "Bytes of each synthetic media file; for real ones the mean, rounded down."),
    Column(
      "schedule", \.schedule, unit: "`poisson`, `fixed`",
      "How posts arrive: independently of one another, or evenly.", check: .name),
  ]
}

/// The highest rate at which a contender holds what was asked for: a row of limits.csv.
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
    Column("run", \.run, unit: "name", "Name of the run.", check: .runName),
    Column("contender", \.contender, unit: "name", "Whose implementation ran."),
    Column("scenario", \.scenario, unit: "name", "The scenario's name."),
    Column(
      "slo_percentile", \.objectivePercentile, unit: "name",
      "The percentile of latency that a time was asked of, such as `p99`, or `max`."),
    Column(
      "slo_ns", \.objectiveNanoseconds, unit: "ns",
      "The time it was to take at most.", check: .positive),
    Column(
      "held_per_s", \.heldPerSecond, unit: "posts per second",
      "The highest rate that was held in two windows out of at most three: the limit lies at it or above. Empty where none was."
    ),
    Column(
      "missed_per_s", \.missedPerSecond, unit: "posts per second",
      "The lowest rate above it that was not: the limit lies below. Empty where every one was held."),
    Column("windows", \.windows, unit: "count", "Windows that the search took of this contender."),
    Column(
      "monotone", \.isMonotone,
      "Whether every rate below the limit was held that was tried. Otherwise the contender fails at a rate below one that it holds."
    ),
    Column("outcome", \.outcome, "As in `load_summary.csv`, over all rates."),
    Column(
      "reason", \.reason, unit: "text",
      "Why the outcome is not `measured`, or why the search ended before it was as precise as asked."),
  ]
}

/// What was measured of a window of load, or of all windows of one rate together; nil: unknown.
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
}

extension LoadFigures {
  /// All but what was achieved, which means something else of one window than of several.
  static let columns: [Column<LoadFigures>] = [
    Column(
      "p50_ns", \.p50Nanoseconds, unit: "ns",
      "Median latency: from the moment at which a post was due to its completion, at most 1/128 above the exact one, as the next. Posts that were given up count with the time they had waited. Empty with fewer than 20 posts: less than 10 would lie beyond it."
    ),
    Column(
      "p90_ns", \.p90Nanoseconds, unit: "ns",
      "90th percentile. Empty with fewer than 100 posts: less than 10 would lie beyond it."),
    Column(
      "p99_ns", \.p99Nanoseconds, unit: "ns",
      "99th percentile. Empty with fewer than 1 000 posts: less than 10 would lie beyond it."),
    Column(
      "p99_9_ns", \.p999Nanoseconds, unit: "ns",
      "99.9th percentile. Empty with fewer than 10 000 posts: less than 10 would lie beyond it."),
    Column(
      "p99_99_ns", \.p9999Nanoseconds, unit: "ns",
      "99.99th percentile. Empty with fewer than 100 000 posts: less than 10 would lie beyond it."),
    Column("max_ns", \.maxNanoseconds, unit: "ns", "The longest, exactly."),
    Column(
      "lateness_p50_ns", \.latenessP50Nanoseconds, unit: "ns",
      "How much later than due the harness started posts by its own fault: median. The time for which an earlier post's start had not returned is the contender's, and not in it."
    ),
    Column(
      "lateness_p99_ns", \.latenessP99Nanoseconds, unit: "ns",
      "Its 99th percentile, of however many posts."),
    Column("lateness_max_ns", \.latenessMaxNanoseconds, unit: "ns", "The most."),
    Column(
      "held_up_p99_ns", \.heldUpP99Nanoseconds, unit: "ns",
      "99th percentile of how much later posts were started because the contender's start of an earlier one had not returned."
    ),
    Column(
      "process_cpu_share", \.processShare, unit: "share",
      "Processor time of the worker ÷ that of all processors, from 0 to 1. Empty where the kernel does not say."
    ),
    Column(
      "machine_cpu_share", \.machineShare, unit: "share",
      "The same of everything that ran, the worker included."),
    Column(
      "others_cpu_share", \.othersShare, unit: "share",
      "The same of all other processes and of what the hypervisor gave away."),
  ]
}
