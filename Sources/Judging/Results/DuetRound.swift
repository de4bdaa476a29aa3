/// One round of a check of two builds, samples of both interleaved: one row of the file that `bench check --record`
/// writes.
public struct DuetRound: Sendable, Equatable {
  /// What the cell is in the check for.
  public enum Role: String, CaseIterable, Sendable {
    case subject
    /// The candidate against itself: nothing may be found.
    case control = "twin"
    /// The candidate against itself made slower, which must be found.
    case positiveControl = "slowed_twin"
  }

  public enum Stage: String, CaseIterable, Sendable {
    case first
    case confirmation
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
    Column("contender", \.contender, unit: "name", "Whose implementation ran."),
    Column("scenario", \.scenario, unit: "name", "The scenario's name."),
    Column(
      "role", \.role,
      "What the cell is in the check for: it is what is checked, or the candidate on both sides, as it is or made slower on one."
    ),
    Column(
      "stage", \.stage,
      "Whether the cell was measured for the first time, or once more because it seemed changed."),
    Column(
      "pair", \.pair, unit: "count",
      "Which pair of fresh processes took the round, from 0 in each stage. The unit of inference."),
    Column(
      "base_ns", \.baseNanoseconds, unit: "ns",
      "What is compared, per post, of the other build: processor time or time on the clock."),
    Column("candidate_ns", \.candidateNanoseconds, unit: "ns", "The same of this build."),
  ]

  public static let option = "--record"
}
