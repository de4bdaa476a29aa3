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
