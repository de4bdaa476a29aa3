/// A window of load, some seconds in which posts (jobs of uploads) start at one rate: a row of load.csv.
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

/// What a worker process measured in a window of load.
public struct LoadReading: FilledRecord, Codable, Hashable {
  public var outcome = Outcome.measured
  /// Why `outcome` is not `measured`; `nil` if it is.
  public var reason: String?
  public var posts = PostCounts()
  public var isFull = false
  public var windowNanoseconds = 0
  /// The time from the last post's intended start until all posts had ended or were given up.
  public var drainNanoseconds = 0
  /// The median latency in the window's first quarter.
  public var earlyLatencyNanoseconds: UInt64?
  /// The times from intended start to completion, or until a post was given up.
  public var latencies = LogHistogram()
  /// How late posts (jobs of uploads) started because the load generator itself was late.
  public var lateness = LogHistogram()
  /// How late posts (jobs of uploads) started because the contender's earlier start call had not returned.
  public var holdUps = LogHistogram()
  /// The shortest possible time of a post; `nil` if unknown.
  public var idealNanoseconds: Int?
  /// The CPU time of the worker process.
  public var processNanoseconds: UInt64 = 0
  /// The time in which processors were busy, summed; `nil` if the kernel does not report it.
  public var busyNanoseconds: UInt64?
  public var idleNanoseconds: UInt64?
  public var stealNanoseconds: Int?

  public init() {}
}

/// The numbers of posts (jobs of uploads) of a window of load.
public struct PostCounts: Codable, Sendable, Hashable {
  public var due = 0
  public var completed = 0
  public var givenUp = 0
  /// Posts whose result or uploads differ from what the scenario expects.
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
      throw FieldProblem("reason is empty, but column outcome says \(reading.outcome.rawValue)")
    }
  }
}

/// The verdict on a contender under a load of one rate.
public enum LoadVerdict: String, Sendable, Hashable, CaseIterable, Codable {
  /// Posts (jobs of uploads) completed as fast as they started, and met the latency objective if there is one.
  case held
  /// Posts missed the latency objective.
  case missed
  /// Posts (jobs of uploads) were started faster than the contender completed them.
  case saturated
  /// The result would be `missed` or `saturated`, but the load generator was late, so the contender may not be at fault.
  case generatorLate = "generator_late"
  /// The result would be `missed` or `saturated`, but other processes used the processors.
  case machineLimit = "machine_limit"
}

extension LoadVerdict: CSVField {}
