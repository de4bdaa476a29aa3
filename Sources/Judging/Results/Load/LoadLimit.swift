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
