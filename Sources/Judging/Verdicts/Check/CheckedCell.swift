import Foundation
import Results
import Statistics

/// A cell of a check of two builds, from its first pair to its confirmation.
public struct CheckedCell: Sendable {
  public typealias Role = DuetRound.Role

  public let role: Role
  /// The first pairs; after a change, pairs from other processes that confirm it.
  private var stages: [CellCheck]
  /// Why a sample was not measured, and so there is no verdict.
  public private(set) var failure: String?

  /// - Parameter level: which samples of a pair count.
  public init(_ key: CellKey, _ role: Role = .subject, level: SampleLevel = .lowQuarter) {
    self.role = role
    stages = [CellCheck(key, level)]
  }

  public var first: CellCheck { stages[0] }
  public var confirmation: CellCheck? { stages.dropFirst().first }
  public var key: CellKey { first.key }

  /// Adds a pair to the current stage; true if that is decided.
  ///
  /// - Parameters:
  ///   - base: nanoseconds per post of each undisturbed sample; as many as the candidate's.
  ///   - disturbed: how many rounds were left out.
  public mutating func add(
    base: [Double], candidate: [Double], disturbed: Int = 0, _ test: SequentialTest
  ) -> Bool {
    stages[stages.count - 1].add(base: base, candidate: candidate, disturbed: disturbed, test)
    return stages[stages.count - 1].verdict != nil
  }

  public mutating func fail(_ reason: String) { failure = SafeText.excerpt(reason, 1_000) }

  /// Whether a change was found and not yet looked for again.
  public var wantsConfirmation: Bool {
    role == .subject && failure == nil && first.hasChanged && confirmation == nil
  }

  /// Whether further pairs may decide it.
  public var isUndecided: Bool { failure == nil && first.verdict == nil }

  public mutating func beginConfirmation() { stages.append(CellCheck(key, first.pairs.level)) }

  public var state: CheckRow.State {
    if failure != nil { return .failed }
    if isTooDisturbed { return .inconclusive }
    switch first.verdict {
    case nil, .inconclusive: return .inconclusive
    case .unchanged: return .unchanged
    case .regressed, .improved:
      // If the two stages contradict each other, nothing is known.
      if role == .subject, confirmation?.verdict != first.verdict { return .inconclusive }
      return first.verdict == .regressed ? .regressed : .improved
    }
  }

  /// Why there is no verdict, or no certain one; nil where the state is enough.
  public var reason: String? {
    if let failure { return failure }
    guard state == .inconclusive else { return nil }
    if isTooDisturbed {
      return "too noisy: \(disturbedRounds) of \(Plural.counted(rounds, "round")) left out"
    }
    switch (first.verdict, confirmation?.verdict) {
    case (nil, _): return "the budget was used up before the pairs decided"
    case (.inconclusive, _): return "the pairs differ among themselves by too much to tell"
    case (let verdict?, let second?):
      return "\(verdict.rawValue) at first, \(second.rawValue) when measured again"
    case (let verdict?, nil):
      return "\(verdict.rawValue) at first; the budget was used up before that was confirmed"
    }
  }

  var isTooDisturbed: Bool {
    Double(disturbedRounds) > AnalysisOptions.defaultMostDisturbedShare * Double(rounds)
  }

  /// Whether a control or a positive control has the state that it must have.
  public var isProven: Bool {
    switch role {
    case .subject: true
    case .control: state == .unchanged
    case .positiveControl: state == .regressed
    }
  }

  /// The pairs of the confirmation, else the first ones.
  public var last: CellCheck {
    guard let confirmation, !confirmation.logRatios.isEmpty else { return first }
    return confirmation
  }

  public var pairs: Int { stages.reduce(0) { $0 + $1.logRatios.count } }
  /// Rounds left out for both builds because either was disturbed.
  public var disturbedRounds: Int { stages.reduce(0) { $0 + $1.pairs.disturbedRounds } }
  public var rounds: Int { stages.reduce(disturbedRounds) { $0 + $1.pairs.countedRounds } }
}

/// The pairs of one cell of two builds.
public struct CellCheck: Sendable {
  public let key: CellKey
  public private(set) var pairs: PairRatios
  /// nil: not decided yet.
  public private(set) var verdict: SequentialTest.Verdict?

  /// - Parameter level: which samples of a pair count.
  public init(_ key: CellKey, _ level: SampleLevel = .lowQuarter) {
    self.key = key
    pairs = PairRatios(level: level)
  }

  /// Candidate to base, a pair each.
  public var logRatios: [Double] { pairs.logRatios }

  /// Adds a pair: nanoseconds per post of each sample.
  public mutating func add(base: [Double], candidate: [Double], disturbed: Int = 0, _ test: SequentialTest) {
    if pairs.add(base: base, candidate: candidate, disturbed: disturbed) {
      verdict = test.verdict(of: logRatios)
    } else if pairs.empty >= test.rule.mostPairs {
      // A machine that is disturbed all the time decides nothing.
      verdict = .inconclusive
    }
  }

  /// Whether the candidate costs more or less.
  public var hasChanged: Bool { verdict == .regressed || verdict == .improved }

  /// The mean ratio of candidate to base; nil without pairs.
  public var ratio: Double? { mean.map(LogRatio.ratio) }

  /// How far from the ratio the true one may lie, as a share of 1: 3.3 standard errors; nil of fewer than two pairs.
  public var resolution: Double? { spread.map { 3.3 * $0 / Double(logRatios.count).squareRoot() } }

  /// The standard deviation of the pairs, as a share of 1; nil of fewer than two pairs.
  var spread: Double? { Moments.variance(of: SequentialTest.clipped(logRatios))?.squareRoot() }

  private var mean: Double? { Moments.mean(of: SequentialTest.clipped(logRatios)) }
}

/// Log-ratios of pairs of two builds, or of one build twice.
public struct PairRatios: Sendable {
  let level: SampleLevel
  /// Candidate to base, a pair each.
  public private(set) var logRatios: [Double] = []
  /// Pairs without an undisturbed sample.
  public private(set) var empty = 0
  /// Rounds, a sample of each side, that were left out as disturbed.
  public private(set) var disturbedRounds = 0
  public private(set) var countedRounds = 0

  init(level: SampleLevel) { self.level = level }

  /// Adds a pair; false if it has no ratio.
  @discardableResult
  mutating func add(base: [Double], candidate: [Double], disturbed: Int) -> Bool {
    disturbedRounds += disturbed
    countedRounds += base.count
    guard let base = level.of(base), base > 0, let candidate = level.of(candidate), candidate > 0
    else {
      empty += 1
      return false
    }
    logRatios.append(LogRatio.of(candidate, to: base))
    return true
  }
}
