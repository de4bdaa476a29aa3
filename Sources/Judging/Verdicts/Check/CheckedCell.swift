import Foundation
import Results
import Statistics

/// A cell of a check, from its first pair to its confirmation.
public struct CheckedCell: Sendable {
  public typealias Role = DuetRound.Role

  public let role: Role
  /// First the usual pairs; then, of a cell that seemed to have changed, pairs from other processes.
  private var stages: [CellCheck]
  /// Why there is no verdict: a sample was not measured.
  public private(set) var failure: String?

  /// - Parameter level: what stands for the samples of a pair.
  public init(_ key: CellKey, _ role: Role = .subject, level: SampleLevel = .lowQuarter) {
    self.role = role
    stages = [CellCheck(key, level)]
  }

  public var first: CellCheck { stages[0] }
  public var confirmation: CellCheck? { stages.dropFirst().first }
  public var key: CellKey { first.key }

  /// Adds a pair of whatever is under way; true if that is decided.
  ///
  /// - Parameters:
  ///   - base: nanoseconds per post, an undisturbed sample each; as many as the candidate's.
  ///   - disturbed: how many samples of both sides were left out.
  public mutating func add(
    base: [Double], candidate: [Double], disturbed: Int = 0, _ test: SequentialTest
  ) -> Bool {
    stages[stages.count - 1].add(base: base, candidate: candidate, disturbed: disturbed, test)
    return stages[stages.count - 1].verdict != nil
  }

  public mutating func fail(_ reason: String) { failure = SafeText.excerpt(reason, 1_000) }

  /// Whether a change was found that nothing has confirmed yet.
  public var wantsConfirmation: Bool {
    role == .subject && failure == nil && first.hasChanged && confirmation == nil
  }

  /// Whether further pairs may tell what the first ones have not.
  public var isUndecided: Bool { failure == nil && first.verdict == nil }

  public mutating func beginConfirmation() { stages.append(CellCheck(key, first.pairs.level)) }

  public var state: CheckRow.State {
    if failure != nil { return .failed }
    if isTooDisturbed { return .inconclusive }
    switch first.verdict {
    case nil, .inconclusive: return .inconclusive
    case .unchanged: return .unchanged
    case .regressed, .improved:
      // The second look is as good as the first: if they contradict each other, nothing is known.
      if role == .subject, confirmation?.verdict != first.verdict { return .inconclusive }
      return first.verdict == .regressed ? .regressed : .improved
    }
  }

  /// Why there is no verdict, or none that is sure; nil where the state says it all.
  public var reason: String? {
    if let failure { return failure }
    guard state == .inconclusive else { return nil }
    if isTooDisturbed {
      return "too noisy: \(disturbedRounds) of \(Plural.counted(rounds, "round")) left out"
    }
    switch (first.verdict, confirmation?.verdict) {
    case (nil, _): return "the budget was used up before the pairs told"
    case (.inconclusive, _): return "the pairs differ among themselves by too much to tell"
    case (let verdict?, let second?):
      return "\(verdict.rawValue) at first, \(second.rawValue) when measured again"
    case (let verdict?, nil):
      return "\(verdict.rawValue) at first; the budget was used up before that was confirmed"
    }
  }

  /// Whether so much was left out that what is left says nothing of the usual.
  var isTooDisturbed: Bool {
    Double(disturbedRounds) > AnalysisOptions.defaultMostDisturbedShare * Double(rounds)
  }

  /// Whether a cell that is there to prove the check does so.
  public var isProven: Bool {
    switch role {
    case .subject: true
    case .control: state == .unchanged
    case .positiveControl: state == .regressed
    }
  }

  /// The pairs that say most of it: those of the confirmation, if there was one.
  public var last: CellCheck {
    guard let confirmation, !confirmation.logRatios.isEmpty else { return first }
    return confirmation
  }

  public var pairs: Int { stages.reduce(0) { $0 + $1.logRatios.count } }
  /// Rounds that were left out for both builds because one was disturbed, and all of them.
  public var disturbedRounds: Int { stages.reduce(0) { $0 + $1.pairs.disturbedRounds } }
  public var rounds: Int { stages.reduce(disturbedRounds) { $0 + $1.pairs.countedRounds } }
}

/// What is known of one cell of two builds, pair by pair.
public struct CellCheck: Sendable {
  public let key: CellKey
  public private(set) var pairs: PairRatios
  /// nil: not decided yet.
  public private(set) var verdict: SequentialTest.Verdict?

  /// - Parameter level: what stands for the samples of a pair.
  public init(_ key: CellKey, _ level: SampleLevel = .lowQuarter) {
    self.key = key
    pairs = PairRatios(level: level)
  }

  /// Of the candidate to the base, a pair each.
  public var logRatios: [Double] { pairs.logRatios }

  /// Adds a pair: nanoseconds per post, a sample each.
  public mutating func add(
    base: [Double], candidate: [Double], disturbed: Int = 0, _ test: SequentialTest
  ) {
    if pairs.add(base: base, candidate: candidate, disturbed: disturbed) {
      verdict = test.verdict(of: logRatios)
    } else if pairs.empty >= test.rule.mostPairs {
      // A machine that is disturbed all the time decides nothing.
      verdict = .inconclusive
    }
  }

  /// Whether the pairs say that the candidate costs more or less.
  public var hasChanged: Bool { verdict == .regressed || verdict == .improved }

  /// The ratio of the candidate to the base, the mean of the pairs; nil without pairs.
  public var ratio: Double? { mean.map(LogRatio.ratio) }

  /// How far from the ratio the true one may lie, as a share of 1: three standard errors and a little; nil of fewer than
  /// two pairs. This run cannot distinguish what differs by less.
  public var resolution: Double? { spread.map { 3.3 * $0 / Double(logRatios.count).squareRoot() } }

  /// By how much pairs differ among themselves, a standard deviation as a share of 1; nil of fewer than two pairs.
  var spread: Double? { Moments.variance(of: SequentialTest.clipped(logRatios))?.squareRoot() }

  private var mean: Double? { Moments.mean(of: SequentialTest.clipped(logRatios)) }
}

/// Pairs of samples of two builds, or of one build twice, each as the ratio of what stands for either side's.
public struct PairRatios: Sendable {
  let level: SampleLevel
  /// Of the candidate to the base, a pair each.
  public private(set) var logRatios: [Double] = []
  /// Pairs of which no sample was undisturbed.
  public private(set) var empty = 0
  /// Rounds, a sample of each side, that were left out because one was disturbed, and those that were not.
  public private(set) var disturbedRounds = 0
  public private(set) var countedRounds = 0

  init(level: SampleLevel) { self.level = level }

  /// Whether the pair has a ratio.
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
