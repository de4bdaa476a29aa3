import Results

/// One of the two builds.
public enum DuetSide: String, Codable, Sendable, CaseIterable {
  /// The build that the other one is held against.
  case base
  /// The build that is asked about.
  case candidate
}

/// What two fresh processes, one of each build, measured of a cell by turns.
public struct DuetPair: Sendable, Hashable {
  /// The contender's name.
  public let contender: String
  /// The scenario's name.
  public let scenario: String
  /// How many pairs this cell had before.
  public let number: Int
  /// Nanoseconds per post, a sample each; as many as the candidate's.
  public let base: [Double]
  /// The same of the other build, taken by turns with those.
  public let candidate: [Double]
  /// How often both sides' samples were left out because one was disturbed.
  public let disturbed: Int
}

/// Why a cell has no verdict: a sample of it was not measured.
public struct DuetFailure: Sendable, Hashable {
  /// The contender's name.
  public let contender: String
  /// The scenario's name.
  public let scenario: String
  /// Which build's sample it was.
  public let side: DuetSide
  /// What came of that sample; never `measured`.
  public let outcome: Outcome
  /// Why, for people.
  public let reason: String

  /// A failure decides its cell: no further pair of it is taken.
  public init(contender: String, scenario: String, side: DuetSide, outcome: Outcome, reason: String) {
    self.contender = contender
    self.scenario = scenario
    self.side = side
    self.outcome = outcome
    self.reason = reason
  }
}

/// What a duet tells as it goes.
public enum DuetEvent: Sendable, Hashable {
  /// A pair that counts has been taken.
  case pair(DuetPair)
  /// A cell is given up.
  case failure(DuetFailure)
}

/// Why a duet ended.
public enum DuetEnding: Sendable, Hashable {
  /// Every cell was decided or failed.
  case decided
  /// The budget was used up before every cell was decided.
  case outOfTime
  /// The user ended it.
  case interrupted
}
