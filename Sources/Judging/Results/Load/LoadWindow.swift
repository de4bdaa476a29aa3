/// One window of load: a row of load.csv.
public struct LoadWindow: Sendable, Equatable {
  public var subject = LoadSubject()
  public var round = 0
  public var position = 0
  public var offeredPerSecond = 0.0
  public var windowNanoseconds = 0
  public var due = 0
  public var completed = 0
  public var givenUp = 0
  public var wrong = 0
  public var peakInFlight = 0
  public var drainNanoseconds = 0
  public var idealNanoseconds: Int?
  public var stealNanoseconds: Int?
  public var outcome = Outcome.failed
  public var reason: String?
  public var figures = LoadFigures()
  public var objectivePercentile: String?
  public var objectiveNanoseconds: Int?
  public var verdict: LoadVerdict?

  public init() {}
}

extension LoadWindow: CSVRecord {
  public static let columns: [Column<LoadWindow>] =
    LoadSubject.columns.map { $0.part(of: \.subject) } + posts
    + LoadFigures.columns.map { $0.part(of: \.figures) } + judgement

  private static let posts: [Column<LoadWindow>] = [
    Column("round", \.round, unit: "count"),
    Column("position", \.position, unit: "count"),
    Column("offered_per_s", \.offeredPerSecond, unit: "posts per second"),
    Column("window_ns", \.windowNanoseconds, unit: "ns"),
    Column("posts_due", \.due, unit: "count"),
    Column("posts_completed", \.completed, unit: "count"),
    Column("posts_given_up", \.givenUp, unit: "count"),
    Column("posts_wrong", \.wrong, unit: "count"),
    Column("peak_posts_in_flight", \.peakInFlight, unit: "count"),
    Column("drain_ns", \.drainNanoseconds, unit: "ns"),
    Column("ideal_ns", \.idealNanoseconds, unit: "ns"),
    Column("steal_ns", \.stealNanoseconds, unit: "ns"),
    Column("outcome", \.outcome),
    Column("reason", \.reason, unit: "text"),
    Column("achieved_per_s", \.figures.achievedPerSecond, unit: "posts per second"),
  ]

  private static let judgement: [Column<LoadWindow>] = [
    Column("slo_percentile", \.objectivePercentile, unit: "name"),
    Column("slo_ns", \.objectiveNanoseconds, unit: "ns", check: .positive),
    Column("verdict", \.verdict),
  ]

  public func validate() throws(FieldProblem) {
    if outcome != .measured, reason == nil {
      throw FieldProblem("reason is empty, but the outcome is \(outcome.rawValue)")
    }
  }
}

/// What a window of load says of a contender, or all windows of one rate together.
public enum LoadVerdict: String, Sendable, Hashable, CaseIterable, Codable {
  /// The posts were done as fast as they came, and in the time that was asked for, if one was.
  case held
  /// They were, but took longer than was asked for.
  case missed
  /// They came faster than they were done.
  case saturated
  /// Missed or saturated, but the harness itself started posts too late to say so.
  case generatorLate = "generator_late"
  /// Missed or saturated, but others had the processors.
  case machineLimit = "machine_limit"
}

extension LoadVerdict: CSVField {}
