/// Where two contenders of a series change places: one row of crossovers.csv.
public struct CrossoverRecord: Sendable, Hashable {
  public var run: String
  public var series: String
  public var cheaperBelow: String
  public var cheaperAbove: String
  public var fanOut: Double
  public var fanOutLow: Double
  public var fanOutHigh: Double
  public var provedBelowFanOut: Int
  public var provedAboveFanOut: Int
  public var machine: String?

  public init(
    run: String, series: String, cheaperBelow: String, cheaperAbove: String, fanOut: Double,
    fanOutLow: Double,
    fanOutHigh: Double, provedBelowFanOut: Int, provedAboveFanOut: Int, machine: String? = nil
  ) {
    self.run = run
    self.series = series
    self.cheaperBelow = cheaperBelow
    self.cheaperAbove = cheaperAbove
    self.fanOut = fanOut
    self.fanOutLow = fanOutLow
    self.fanOutHigh = fanOutHigh
    self.provedBelowFanOut = provedBelowFanOut
    self.provedAboveFanOut = provedAboveFanOut
    self.machine = machine
  }
}

extension CrossoverRecord: CSVRecord {
  public static let columns: [Column<CrossoverRecord>] = [
    Column("run", \.run, unit: "name", "Name of the run.", check: RecordName.checkRun),
    Column("series", \.series, unit: "name", "As in `growth.csv`.", check: RecordName.check),
    Column(
      "cheaper_below", \.cheaperBelow, unit: "name", "Who takes less time at smaller fan-outs.",
      check: RecordName.check),
    Column(
      "cheaper_above", \.cheaperAbove, unit: "name", "Who takes less time at larger ones.",
      check: RecordName.check),
    Column(
      "fan_out", \.fanOut, unit: "count",
      "Estimate of where both take as long: the geometric mean of where they meet if times between neighbours are straight, and if they are so where both axes are logarithmic."
    ),
    Column(
      "fan_out_ci_low", \.fanOutLow, unit: "count",
      "Lower end of the 95 % intervals of both, by resampling as in `growth.csv`; no further than `proved_below`."
    ),
    Column("fan_out_ci_high", \.fanOutHigh, unit: "count", "Its upper end; no further than `proved_above`."),
    Column(
      "proved_below", \.provedBelowFanOut, unit: "count",
      "The measured fan-out below it at which the first is proved to take less time (95 %, for each pair and fan-out by itself).",
      check: positive),
    Column(
      "proved_above", \.provedAboveFanOut, unit: "count",
      "The measured fan-out above it at which the second is.", check: positive),
    Column("machine", \.machine, unit: "name", "As in `samples.csv`.", check: RecordName.check),
  ]

  public static var firstColumnCount: Int { columns.count }

  public static let blank = CrossoverRecord(
    run: "", series: "", cheaperBelow: "", cheaperAbove: "", fanOut: 1, fanOutLow: 1, fanOutHigh: 1,
    provedBelowFanOut: 1, provedAboveFanOut: 1)

  public func validate() throws(FieldProblem) {
    if !(fanOutLow...max(fanOutLow, fanOutHigh)).contains(fanOut) {
      throw FieldProblem("fan_out lies outside of its interval")
    }
  }
}
