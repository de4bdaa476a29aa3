/// Where two contenders of a series change places: one row of crossovers.csv.
public struct CrossoverRecord: Sendable, Equatable {
  public var run = ""
  public var series = ""
  public var cheaperBelow = ""
  public var cheaperAbove = ""
  public var fanOut = 0.0
  public var fanOutLow = 0.0
  public var fanOutHigh = 0.0
  public var provedBelowFanOut = 0
  public var provedAboveFanOut = 0
  public var machine: String?

  public init() {}
}

extension CrossoverRecord: CSVRecord {
  public static let columns: [Column<CrossoverRecord>] = [
    Column("run", \.run, unit: "name", "Name of the run.", check: .runName),
    Column("series", \.series, unit: "name", "As in `growth.csv`."),
    Column("cheaper_below", \.cheaperBelow, unit: "name", "Who takes less time at smaller fan-outs."),
    Column("cheaper_above", \.cheaperAbove, unit: "name", "Who takes less time at larger ones."),
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
      check: .positive),
    Column(
      "proved_above", \.provedAboveFanOut, unit: "count",
      "The measured fan-out above it at which the second is.", check: .positive),
    Column("machine", \.machine, unit: "name", "As in `samples.csv`."),
  ]

  public func validate() throws(FieldProblem) {
    if !(fanOutLow...max(fanOutLow, fanOutHigh)).contains(fanOut) {
      throw FieldProblem("fan_out lies outside of its interval")
    }
  }
}
