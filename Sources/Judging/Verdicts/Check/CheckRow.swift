import Results

/// One statement of a check: what became of a cell, or of one quantity of it.
public struct CheckRow: Sendable {
  /// What matters most comes first.
  public enum State: String, Sendable, Hashable, CaseIterable {
    case regressed
    case failed
    case inconclusive
    case improved
    case unchanged
  }

  public let key: CellKey
  /// What is compared, such as `allocations per post`; nil where the whole report compares one thing.
  public internal(set) var quantity: String?
  public let state: State
  /// From the base to the candidate, for people, such as `+4.9 % ± 1.2 %`; empty if unknown.
  public internal(set) var change = ""
  /// What it rests on, such as `16 pairs`; empty if on nothing.
  public internal(set) var evidence = ""
  /// Why the state is what it is, where the change does not say so.
  public internal(set) var reason: String?
  /// The same for programs.
  public internal(set) var numbers = Numbers()
  /// What it is in the check for.
  public internal(set) var role = DuetRound.Role.subject
  /// Of a row that is there to prove the check: whether it does. nil: the check is about it.
  public internal(set) var isProven: Bool?

  public struct Numbers: Sendable, Encodable {
    /// In the unit of the quantity.
    public var base: Double?
    public var candidate: Double?
    /// Of the candidate to the base.
    public var ratio: Double?
    /// Ends of the ratio's interval.
    public var ratioLow: Double?
    public var ratioHigh: Double?
    /// Differences below this share of 1 cannot be distinguished.
    public var resolution: Double?
    public var pairs: Int?
    /// A sample of each build, those included that were left out as disturbed.
    public var rounds: Int?
    public var disturbedRounds: Int?
    /// Of what was counted several times.
    public var lowest: Int?
    public var highest: Int?
    /// Ends of the committed range of what is not the same in every iteration.
    public var baseLowest: Int?
    public var baseHighest: Int?

    enum CodingKeys: String, CodingKey {
      case base, candidate, ratio, resolution, pairs, rounds, lowest, highest
      case ratioLow = "ratio_ci_low"
      case ratioHigh = "ratio_ci_high"
      case disturbedRounds = "disturbed_rounds"
      case baseLowest = "base_lowest"
      case baseHighest = "base_highest"
    }
  }

  /// What people read of the state: an injected slow-down is no bad news.
  var verdict: String { isProven == true && state == .regressed ? "found" : state.rawValue }

  /// Such as `futures`, or `futures (A/A control)`.
  var subject: String { key.contender + (role.name.map { " (\($0))" } ?? "") }

  /// Such as `publish-instant-100 futures`.
  var name: String { "\(key.place) \(subject)" + (quantity.map { ", \($0)" } ?? "") }
}

extension DuetRound.Role {
  /// nil: it is what the check is about.
  public var name: String? {
    switch self {
    case .subject: nil
    case .control: "A/A control"
    case .positiveControl: "positive control"
    }
  }
}
