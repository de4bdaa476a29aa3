/// The comparison of two contenders that come with Swift and Foundation in a scenario: a row of pairs.csv.
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
}

/// The times of two builds that `bench check` compares: a row of the file that `--record` names.
public struct DuetRound: Sendable, Equatable {
  public enum Role: String, CaseIterable, Sendable {
    case subject
    /// The candidate is compared with itself. The check must find no difference.
    case control = "twin"
    /// The candidate is compared with a copy of itself that is made slower on purpose. The check must find the slow-down.
    case positiveControl = "slowed_twin"
  }

  public enum Stage: String, CaseIterable, Sendable {
    case first, confirmation
  }

  public var contender = ""
  public var scenario = ""
  public var role = Role.subject
  public var stage = Stage.first
  public var pair = 0
  public var baseNanoseconds = 0.0
  public var candidateNanoseconds = 0.0

  public init() {}
}

extension DuetRound.Role: CSVField {}
extension DuetRound.Stage: CSVField {}

extension DuetRound: CSVRecord {
  public static let columns: [Column<DuetRound>] = [
    Column("contender", \.contender, unit: "name"),
    Column("scenario", \.scenario, unit: "name"),
    Column("role", \.role),
    Column("stage", \.stage),
    Column("pair", \.pair, unit: "count"),
    Column("base_ns", \.baseNanoseconds, unit: "ns"),
    Column("candidate_ns", \.candidateNanoseconds, unit: "ns"),
  ]

  public static let option = "--record"
}
