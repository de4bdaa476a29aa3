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
    Column(
      "round", \.round, unit: "count",
      "Pass over all contenders, from 0: they met the same moments of arrival in it."),
    Column("position", \.position, unit: "count", "Place in the round's order, from 0."),
    Column(
      "offered_per_s", \.offeredPerSecond, unit: "posts per second",
      "How many posts were to arrive in a second, on average."),
    Column(
      "window_ns", \.windowNanoseconds, unit: "ns",
      "From the begin of the window to its end, which comes early where as many posts are under way as may be."
    ),
    Column("posts_due", \.due, unit: "count", "Posts that arrived."),
    Column("posts_completed", \.completed, unit: "count", "Those that ended as they should."),
    Column(
      "posts_given_up", \.givenUp, unit: "count",
      "Those that were cancelled, or not even started, because the window was over or full."),
    Column("posts_wrong", \.wrong, unit: "count", "Those that ended in another way than they should."),
    Column("peak_posts_in_flight", \.peakInFlight, unit: "count", "Most posts that were under way at once."),
    Column(
      "drain_ns", \.drainNanoseconds, unit: "ns",
      "From the moment at which the last post was due until none was left, or the rest was given up."),
    Column(
      "ideal_ns", \.idealNanoseconds, unit: "ns",
      "Lower bound of the latency: no contender can end a post sooner. Empty where the service promises no time."
    ),
    Column(
      "steal_ns", \.stealNanoseconds, unit: "ns",
      "Time during the window that the hypervisor gave to others, all processors."),
    Column(
      "outcome", \.outcome,
      "`measured` = every post that was not given up did exactly what the scenario expects, by its own ledger."
    ),
    Column("reason", \.reason, unit: "text", "Why the outcome is not `measured`."),
    Column(
      "achieved_per_s", \.figures.achievedPerSecond, unit: "posts per second",
      "Posts that ended ÷ the window with what its last posts took longer than those of its first quarter."),
  ]

  private static let judgement: [Column<LoadWindow>] = [
    Column(
      "slo_percentile", \.objectivePercentile, unit: "name",
      "The percentile of latency that a time was asked of, such as `p99`, or `max`. Empty where none was."),
    Column(
      "slo_ns", \.objectiveNanoseconds, unit: "ns",
      "The time it was to take at most.", check: .positive),
    Column(
      "verdict", \.verdict,
      "What the window says. Empty where the outcome is not `measured`, and where too few posts stand behind the percentile that was asked for."
    ),
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
