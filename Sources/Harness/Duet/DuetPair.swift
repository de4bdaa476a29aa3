import Results

/// One of the two builds.
public enum DuetSide: String, Codable, Sendable, CaseIterable {
  case base
  case candidate
}

/// What two fresh processes, one of each build, measured of a cell by turns.
public struct DuetPair: Sendable, Hashable {
  public let contender: String
  public let scenario: String
  /// How many pairs this cell had before.
  public let number: Int
  /// Nanoseconds per post, a sample each; as many as the candidate's.
  public let base: [Double]
  public let candidate: [Double]
  /// How often both sides' samples were left out because one was disturbed.
  public let disturbed: Int
}

/// Why a cell has no verdict: a sample of it was not measured.
public struct DuetFailure: Sendable, Hashable {
  public let contender: String
  public let scenario: String
  public let side: DuetSide
  public let outcome: Outcome
  public let reason: String

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
  case pair(DuetPair)
  case failure(DuetFailure)
}

/// Why a duet ended.
public enum DuetEnding: Sendable, Hashable {
  /// Every cell was decided or failed.
  case decided
  case outOfTime
  case interrupted
}
