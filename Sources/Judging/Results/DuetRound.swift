/// One round of a check of two builds, a sample of each taken by turns: one row of the file that `bench check --record`
/// writes.
public struct DuetRound: Sendable, Hashable {
  /// What the cell is in the check for.
  public enum Role: String, CaseIterable, Sendable {
    case subject
    case twin
    case slowedTwin = "slowed_twin"
  }

  public enum Stage: String, CaseIterable, Sendable {
    case first
    case confirmation
  }

  public var contender: String
  public var scenario: String
  public var role: Role
  public var stage: Stage
  public var pair: Int
  public var baseNanoseconds: Double
  public var candidateNanoseconds: Double

  public init(
    contender: String, scenario: String, role: Role, stage: Stage, pair: Int, baseNanoseconds: Double,
    candidateNanoseconds: Double
  ) {
    self.contender = contender
    self.scenario = scenario
    self.role = role
    self.stage = stage
    self.pair = pair
    self.baseNanoseconds = baseNanoseconds
    self.candidateNanoseconds = candidateNanoseconds
  }
}

extension DuetRound.Role: CSVField {}
extension DuetRound.Stage: CSVField {}

extension DuetRound: CSVRecord {
  public static let columns: [Column<DuetRound>] = [
    Column("contender", \.contender, unit: "name", "Whose implementation ran.", check: RecordName.check),
    Column("scenario", \.scenario, unit: "name", "The scenario's name.", check: RecordName.check),
    Column(
      "role", \.role, unit: "`subject`, `twin`, `slowed_twin`",
      "What the cell is in the check for: it is what is checked, or the candidate on both sides, as it is or made slower on one."
    ),
    Column(
      "stage", \.stage, unit: "`first`, `confirmation`",
      "Whether the cell was measured for the first time, or once more because it seemed changed."),
    Column(
      "pair", \.pair, unit: "count",
      "Which pair of fresh processes took the round, from 0 in each stage. The unit of inference.",
      check: notNegative),
    Column(
      "base_ns", \.baseNanoseconds, unit: "ns",
      "What is compared, per post, of the other build: processor time or time on the clock.",
      check: notNegative),
    Column(
      "candidate_ns", \.candidateNanoseconds, unit: "ns", "The same of this build.", check: notNegative),
  ]

  public static let firstColumnCount = columns.count

  public static let option = "--record"

  public static let blank = DuetRound(
    contender: "", scenario: "", role: .subject, stage: .first, pair: 0, baseNanoseconds: 0,
    candidateNanoseconds: 0)

  public func validate() {}
}
