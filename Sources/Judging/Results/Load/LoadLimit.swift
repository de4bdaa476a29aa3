/// The highest rate at which a contender holds what was asked for: a row of limits.csv.
public struct LoadLimit: Sendable, Hashable {
  public var run: String
  public var contender: String
  public var scenario: String
  public var objectivePercentile: String
  public var objectiveNanoseconds: Int
  public var heldPerSecond: Double?
  public var missedPerSecond: Double?
  public var windows: Int
  public var isMonotone: Bool
  public var outcome: Outcome
  public var reason: String?

  public init(
    run: String, contender: String, scenario: String, objectivePercentile: String, objectiveNanoseconds: Int,
    heldPerSecond: Double? = nil, missedPerSecond: Double? = nil, windows: Int, isMonotone: Bool = true,
    outcome: Outcome, reason: String? = nil
  ) {
    self.run = run
    self.contender = contender
    self.scenario = scenario
    self.objectivePercentile = objectivePercentile
    self.objectiveNanoseconds = objectiveNanoseconds
    self.heldPerSecond = heldPerSecond
    self.missedPerSecond = missedPerSecond
    self.windows = windows
    self.isMonotone = isMonotone
    self.outcome = outcome
    self.reason = reason
  }
}

extension LoadLimit: CSVRecord {
  public static let columns: [Column<LoadLimit>] = [
    Column("run", \.run, unit: "name", "Name of the run.", check: RecordName.checkRun),
    Column("contender", \.contender, unit: "name", "Whose implementation ran.", check: RecordName.check),
    Column("scenario", \.scenario, unit: "name", "The scenario's name.", check: RecordName.check),
    Column(
      "slo_percentile", \.objectivePercentile, unit: "name",
      "The percentile of latency that a time was asked of, such as `p99`, or `max`.", check: RecordName.check),
    Column("slo_ns", \.objectiveNanoseconds, unit: "ns", "The time it was to take at most.", check: positive),
    Column(
      "held_per_s", \.heldPerSecond, unit: "posts per second",
      "The highest rate that was held in two windows out of at most three: the limit lies at it or above. Empty where none was.",
      check: notNegative),
    Column(
      "missed_per_s", \.missedPerSecond, unit: "posts per second",
      "The lowest rate above it that was not: the limit lies below. Empty where every one was held.",
      check: notNegative),
    Column(
      "windows", \.windows, unit: "count", "Windows that the search took of this contender.",
      check: notNegative),
    Column(
      "monotone", \.isMonotone, unit: "`true`, `false`",
      "Whether every rate below the limit was held that was tried. Otherwise the contender fails at a rate below one that it holds."
    ),
    Column(
      "outcome", \.outcome, unit: "`measured`, `failed`, `wrong`, `timed_out`",
      "As in `load_summary.csv`, over all rates."),
    Column(
      "reason", \.reason, unit: "text",
      "Why the outcome is not `measured`, or why the search ended before it was as precise as asked."),
  ]

  public static var firstColumnCount: Int { columns.count }

  public static let blank = LoadLimit(
    run: "", contender: "", scenario: "", objectivePercentile: "", objectiveNanoseconds: 0, windows: 0,
    outcome: .failed)

  public func validate() throws(FieldProblem) {}
}
