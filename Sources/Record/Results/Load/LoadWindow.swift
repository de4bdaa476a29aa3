/// One window of load: a row of load.csv, and the readings that the row summarises.
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
  /// How the window ended. Only measured windows are ranked.
  public var outcome = Outcome.measured
  /// Why the window was not measured; `nil` if it was.
  public var reason: String?
  /// The posts whose intended start was before the end of the window.
  public var posts = PostCounts()
  /// Whether the window ended early because too many posts were in flight.
  public var isFull = false
  public var windowNanoseconds = 0
  /// The time from the last post's intended start until the last post ended or the remaining posts were given up.
  public var drainNanoseconds = 0
  /// The median latency of the posts of the window's first quarter.
  public var earlyLatencyNanoseconds: UInt64?
  /// The times from intended start to completion. A post that was given up counts with its time until then.
  public var latencies = LogHistogram()
  /// The delays of starts that the load generator caused, without those in ``holdUps``.
  public var lateness = LogHistogram()
  /// The delays of starts that waited for an earlier start call to return.
  public var holdUps = LogHistogram()
  /// The shortest possible time of a post; `nil` if the service's times are unknown.
  public var idealNanoseconds: Int?
  /// The processor time of the worker's threads during the window.
  public var processNanoseconds: UInt64 = 0
  /// The time in which processors were busy during the window, summed over processors; `nil` if the kernel does not show it.
  public var busyNanoseconds: UInt64?
  public var idleNanoseconds: UInt64?
  public var stealNanoseconds: Int?

  public init() {}
}

/// The numbers of posts of a window.
public struct PostCounts: Codable, Sendable, Hashable {
  public var due = 0
  public var completed = 0
  public var givenUp = 0
  /// The posts whose result or uploads differ from what the scenario expects.
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

/// The verdict on a window of load, or on all windows of one rate.
public enum LoadVerdict: String, Sendable, Hashable, CaseIterable, Codable {
  /// Posts completed as fast as they arrived, and met the objective if there is one.
  case held
  /// Posts missed the latency objective.
  case missed
  /// Posts arrived faster than they completed.
  case saturated
  /// Posts missed the objective or arrived faster than they completed, but the load generator was too late to blame the contender.
  case generatorLate = "generator_late"
  /// Posts missed the objective or arrived faster than they completed, but other processes used the processors.
  case machineLimit = "machine_limit"
}

extension LoadVerdict: CSVField {}
