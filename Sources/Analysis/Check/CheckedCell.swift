import Statistics

/// A cell of a check, from its first pair to its confirmation.
public struct CheckedCell: Sendable, Hashable {
  /// What a cell is in the check for.
  public enum Role: Sendable, Hashable {
    /// It is what the check is about.
    case subject
    /// The candidate against itself: nothing may be found.
    case twin
    /// The candidate against itself made slower: that must be found.
    case slowedTwin
  }

  public let role: Role
  public private(set) var first: CellCheck
  /// Of a cell that seemed to have regressed: pairs that were taken afterwards, from other processes.
  public private(set) var confirmation: CellCheck?

  public init(_ key: CellKey, _ role: Role = .subject) {
    self.role = role
    first = CellCheck(key)
  }

  public var key: CellKey { first.key }

  /// Adds a pair of whatever is under way; true if that is decided.
  public mutating func add(base: [Double], candidate: [Double], _ test: SequentialTest) -> Bool {
    guard confirmation != nil else {
      first.add(base: base, candidate: candidate, test)
      return first.verdict != nil
    }
    confirmation?.add(base: base, candidate: candidate, test)
    return confirmation?.verdict != nil
  }

  public mutating func fail(_ reason: String) { first.fail(reason) }

  /// Whether a regression was found that nothing has confirmed yet.
  public var wantsConfirmation: Bool {
    role == .subject && first.failure == nil && first.verdict == .regressed && confirmation == nil
  }

  public mutating func beginConfirmation() { confirmation = CellCheck(key) }

  public var state: CheckRow.State {
    if first.failure != nil { return .failed }
    switch first.verdict {
    case nil, .inconclusive: return .inconclusive
    case .unchanged: return .unchanged
    case .improved: return .improved
    case .regressed: break
    }
    if role != .subject { return .regressed }
    switch confirmation?.verdict {
    case .regressed: return .regressed
    // The second look is as good as the first, and they contradict each other.
    case .unchanged, .improved, .inconclusive, nil: return .inconclusive
    }
  }

  /// Whether a cell that is there to prove the check does so.
  public var isProven: Bool {
    switch role {
    case .subject: true
    case .twin: state == .unchanged
    case .slowedTwin: state == .regressed
    }
  }

  /// The pairs that say most of it: those of the confirmation, if there was one.
  public var last: CellCheck {
    guard let confirmation, !confirmation.logRatios.isEmpty else { return first }
    return confirmation
  }

  public var pairs: Int { first.logRatios.count + (confirmation?.logRatios.count ?? 0) }
  public var emptyPairs: Int { first.emptyPairs + (confirmation?.emptyPairs ?? 0) }
}
