/// One window of load: a row of load.csv, and what was seen of it, which that sums up.
@dynamicMemberLookup
public struct LoadWindow: Sendable, Equatable {
  public var subject = LoadSubject()
  public var round = 0
  public var position = 0
  public var offeredPerSecond = 0.0
  public var reading = LoadReading()
  public var figures = LoadFigures()
  public var objectivePercentile: String?
  public var objectiveNanoseconds: Int?
  public var verdict: LoadVerdict?

  public init() {}

  public subscript<Value>(dynamicMember path: WritableKeyPath<LoadReading, Value>) -> Value {
    get { reading[keyPath: path] }
    set { reading[keyPath: path] = newValue }
  }
}

/// What is seen of a window of load, before it is judged.
public struct LoadReading: FilledRecord, Codable, Hashable {
  /// Whether its latencies can be ranked.
  public var outcome = Outcome.measured
  /// Why the window cannot be ranked; nil if it was measured.
  public var reason: String?
  /// The posts that were due, to the end of the window or until it ended early.
  public var posts = PostCounts()
  /// Whether as many posts were under way as may be, so that the window ended early.
  public var isFull = false
  public var windowNanoseconds = 0
  /// From the last post's intended start to the end of the last one to end, or until the rest was given up.
  public var drainNanoseconds = 0
  /// The median latency of the posts of the window's first quarter.
  public var earlyLatencyNanoseconds: UInt64?
  /// From the intended start to the completion. A post that was given up counts with the time it had waited.
  public var latencies = LogHistogram()
  /// How much later than intended posts were started by the generator's own fault, not because an earlier start had not returned.
  public var lateness = LogHistogram()
  /// How much later posts were started because an earlier one's start had not returned.
  public var holdUps = LogHistogram()
  /// The least time that a post could take; nil where the service's times are not known before.
  public var idealNanoseconds: Int?
  /// What the worker used of the processors, over all its threads, from the window's begin to its end.
  public var processNanoseconds: UInt64 = 0
  /// What all processors did meanwhile; nil where the kernel does not say.
  public var busyNanoseconds: UInt64?
  public var idleNanoseconds: UInt64?
  public var stealNanoseconds: Int?

  public init() {}
}

/// What became of the posts of a window.
public struct PostCounts: Codable, Sendable, Hashable {
  public var due = 0
  public var completed = 0
  public var givenUp = 0
  /// Those that did not end as the scenario has it, or whose ledger says otherwise.
  public var wrong = 0
  public var peakInFlight = 0
}

extension LoadWindow: CSVRecord {
  public static let columns: [Column<LoadWindow>] =
    LoadSubject.columns.map { $0.part(of: \.subject) } + posts
    + LoadFigures.columns.map { $0.part(of: \.figures) } + judgement

  private static let posts: [Column<LoadWindow>] = [
    Column("round", \.round, unit: "count"),
    Column("position", \.position, unit: "count"),
    Column("offered_per_s", \.offeredPerSecond, unit: "posts per second"),
    Column("window_ns", \.reading.windowNanoseconds, unit: "ns"),
    Column("posts_due", \.reading.posts.due, unit: "count"),
    Column("posts_completed", \.reading.posts.completed, unit: "count"),
    Column("posts_given_up", \.reading.posts.givenUp, unit: "count"),
    Column("posts_wrong", \.reading.posts.wrong, unit: "count"),
    Column("peak_posts_in_flight", \.reading.posts.peakInFlight, unit: "count"),
    Column("drain_ns", \.reading.drainNanoseconds, unit: "ns"),
    Column("ideal_ns", \.reading.idealNanoseconds, unit: "ns"),
    Column("steal_ns", \.reading.stealNanoseconds, unit: "ns"),
    Column("outcome", \.reading.outcome),
    Column("reason", \.reading.reason, unit: "text"),
    Column("achieved_per_s", \.figures.achievedPerSecond, unit: "posts per second"),
  ]

  private static let judgement: [Column<LoadWindow>] = [
    Column("slo_percentile", \.objectivePercentile, unit: "name"),
    Column("slo_ns", \.objectiveNanoseconds, unit: "ns", check: .positive),
    Column("verdict", \.verdict),
  ]

  public func validate() throws(FieldProblem) {
    if reading.outcome != .measured, reading.reason == nil {
      throw FieldProblem("reason is empty, but the outcome is \(reading.outcome.rawValue)")
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
