/// How many posts took about the same time: a row of latencies.csv.
public struct LatencyBucket: Sendable, Hashable {
  public var run: String
  public var contender: String
  public var scenario: String
  public var offeredPerSecond: Double
  public var lowNanoseconds: Int
  public var highNanoseconds: Int
  public var posts: Int

  public init(
    run: String, contender: String, scenario: String, offeredPerSecond: Double, lowNanoseconds: Int,
    highNanoseconds: Int, posts: Int
  ) {
    self.run = run
    self.contender = contender
    self.scenario = scenario
    self.offeredPerSecond = offeredPerSecond
    self.lowNanoseconds = lowNanoseconds
    self.highNanoseconds = highNanoseconds
    self.posts = posts
  }
}

extension LatencyBucket: CSVRecord {
  public static let columns: [Column<LatencyBucket>] = [
    Column("run", \.run, unit: "name", "Name of the run.", check: RecordName.checkRun),
    Column("contender", \.contender, unit: "name", "Whose implementation ran.", check: RecordName.check),
    Column("scenario", \.scenario, unit: "name", "The scenario's name.", check: RecordName.check),
    Column(
      "offered_per_s", \.offeredPerSecond, unit: "posts per second", "As in `load_summary.csv`.",
      check: notNegative),
    Column(
      "latency_low_ns", \.lowNanoseconds, unit: "ns", "The shortest latency that this row counts.",
      check: notNegative),
    Column(
      "latency_high_ns", \.highNanoseconds, unit: "ns",
      "The longest, at most 1/128 above. Rows are in order and do not overlap; what has none is left out.",
      check: notNegative),
    Column("posts", \.posts, unit: "count", "Posts with such a latency.", check: positive),
  ]

  public static var firstColumnCount: Int { columns.count }

  public static let blank = LatencyBucket(
    run: "", contender: "", scenario: "", offeredPerSecond: 0, lowNanoseconds: 0, highNanoseconds: 0, posts: 0
  )

  public func validate() throws(FieldProblem) {
    if highNanoseconds < lowNanoseconds { throw FieldProblem("latency_high_ns is below latency_low_ns") }
  }
}
