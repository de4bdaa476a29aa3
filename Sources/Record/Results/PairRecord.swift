/// What one contender takes beside another of those that come with Swift and Foundation, in one scenario: one row of pairs.csv.
public struct PairRecord: Sendable, Equatable {
  public var run = ""
  public var scenario = ""
  public var contender = ""
  public var reference = ""
  public var rounds = 0
  public var ratio: Double?
  public var ratioLow: Double?
  public var ratioHigh: Double?
  public var cpuRatio: Double?
  public var cpuRatioLow: Double?
  public var cpuRatioHigh: Double?
  public var machine: String?

  public init() {}
}

extension PairRecord: CSVRecord {
  public static let columns: [Column<PairRecord>] = [
    Column("run", \.run, unit: "name", check: .runName),
    Column("scenario", \.scenario, unit: "name"),
    Column("contender", \.contender, unit: "name"),
    Column("reference", \.reference, unit: "name"),
    Column("rounds", \.rounds, unit: "count"),
    Column("ratio", \.ratio, unit: "ratio"),
    Column("ratio_ci_low", \.ratioLow, unit: "ratio"),
    Column("ratio_ci_high", \.ratioHigh, unit: "ratio"),
    Column("cpu_ratio", \.cpuRatio, unit: "ratio"),
    Column("cpu_ratio_ci_low", \.cpuRatioLow, unit: "ratio"),
    Column("cpu_ratio_ci_high", \.cpuRatioHigh, unit: "ratio"),
    Column("machine", \.machine, unit: "name"),
  ]

  public func validate() throws(FieldProblem) {}
}
