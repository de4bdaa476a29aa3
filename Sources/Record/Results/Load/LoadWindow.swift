/// One window of load, a row of load.csv, with the readings that it sums up.
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

/// The readings of a window of load, before its verdict.
public struct LoadReading: FilledRecord, Codable, Hashable {
  /// Whether its latencies can be ranked.
  public var outcome = Outcome.measured
  /// Why it was not measured; nil: it was.
  public var reason: String?
  /// The posts that were due until the window ended.
  public var posts = PostCounts()
  /// Whether the limit of posts in flight ended the window early.
  public var isFull = false
  public var windowNanoseconds = 0
  /// From the last post's intended start to the end of the last post, or until the rest was given up.
  public var drainNanoseconds = 0
  /// The median latency of posts of the first quarter.
  public var earlyLatencyNanoseconds: UInt64?
  /// From the intended start to the completion. A post that was given up counts with its time so far.
  public var latencies = LogHistogram()
  /// How much the generator itself delayed posts, without delays by an earlier start that had not returned.
  public var lateness = LogHistogram()
  /// How much an earlier start that had not returned delayed posts.
  public var holdUps = LogHistogram()
  /// The least possible time of a post; nil: the service's times are unknown.
  public var idealNanoseconds: Int?
  /// Processor time of the worker's threads during the window.
  public var processNanoseconds: UInt64 = 0
  /// Of all processors meanwhile; nil: the kernel does not show it.
  public var busyNanoseconds: UInt64?
  public var idleNanoseconds: UInt64?
  public var stealNanoseconds: Int?

  public init() {}
}

/// The posts of a window.
public struct PostCounts: Codable, Sendable, Hashable {
  public var due = 0
  public var completed = 0
  public var givenUp = 0
  /// Posts with another end or ledger than the scenario's.
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

/// The verdict on a window of load, or on all windows of one rate.
public enum LoadVerdict: String, Sendable, Hashable, CaseIterable, Codable {
  /// The posts were done as fast as they came, and met the objective, if any.
  case held
  /// They missed the objective.
  case missed
  /// They came faster than they were done.
  case saturated
  /// Missed or saturated, but the harness started posts too late to say so.
  case generatorLate = "generator_late"
  /// Missed or saturated, but other processes took the processors.
  case machineLimit = "machine_limit"
}

extension LoadVerdict: CSVField {}
