import Foundation
import Results
import Statistics

/// Compares two builds in one contender and one scenario, by pairs of samples. If a change is found, further pairs must confirm it.
public struct CheckedCell: Sendable {
  public typealias Role = DuetRound.Role

  public let role: Role
  /// The first element has the pairs that may find a change. If there is a second, its pairs of other processes must confirm the change.
  private var stages: [CellCheck]
  /// Why a sample could not be measured; `nil` if all were. After a failure there is no verdict.
  public private(set) var failure: String?

  public init(_ key: CellKey, _ role: Role = .subject, level: SampleLevel = .lowQuarter) {
    self.role = role
    stages = [CellCheck(key, level)]
  }

  public var first: CellCheck { stages[0] }
  public var confirmation: CellCheck? { stages.dropFirst().first }
  public var key: CellKey { first.key }

  /// Adds a pair to the search for a change, or to its confirmation if that has begun. Returns whether that part is decided.
  ///
  /// - Parameters:
  ///   - base: the nanoseconds per job of each undisturbed sample. `candidate` has equally many.
  ///   - disturbed: the number of rounds that were left out as disturbed.
  public mutating func add(
    base: [Double], candidate: [Double], disturbed: Int = 0, _ test: SequentialTest
  ) -> Bool {
    stages[stages.count - 1].add(base: base, candidate: candidate, disturbed: disturbed, test)
    return stages[stages.count - 1].verdict != nil
  }

  public mutating func fail(_ reason: String) { failure = SafeText.excerpt(reason, 1_000) }

  /// Whether a change was found and its confirmation has not begun.
  public var wantsConfirmation: Bool {
    role == .subject && failure == nil && first.hasChanged && confirmation == nil
  }

  /// Whether further pairs may give a verdict.
  public var isUndecided: Bool { failure == nil && first.verdict == nil }

  public mutating func beginConfirmation() { stages.append(CellCheck(key, first.pairs.level)) }

  public var state: CheckRow.State {
    if failure != nil { return .failed }
    if isTooDisturbed { return .inconclusive }
    switch first.verdict {
    case nil, .inconclusive: return .inconclusive
    case .unchanged: return .unchanged
    case .regressed, .improved:
      // A change counts only if the confirmation agrees.
      if role == .subject, confirmation?.verdict != first.verdict { return .inconclusive }
      return first.verdict == .regressed ? .regressed : .improved
    }
  }

  /// Why the comparison failed or is inconclusive; `nil` if it is decided.
  public var reason: String? {
    if let failure { return failure }
    guard state == .inconclusive else { return nil }
    if isTooDisturbed {
      return "too noisy: \(disturbedRounds) of \(Plural.counted(rounds, "round")) were disturbed and left out"
    }
    switch (first.verdict, confirmation?.verdict) {
    case (nil, _): return "the budget was used up before there was a verdict"
    case (.inconclusive, _): return "the pairs of samples vary too much for a verdict"
    case (let verdict?, let second?):
      return "\(verdict.rawValue) at first, \(second.rawValue) when measured again"
    case (let verdict?, nil):
      return "\(verdict.rawValue) at first; the budget was used up before the change was confirmed"
    }
  }

  var isTooDisturbed: Bool {
    Double(disturbedRounds) > AnalysisOptions.defaultMostDisturbedShare * Double(rounds)
  }

  /// Whether a control has the state that it must have.
  public var isProven: Bool {
    switch role {
    case .subject: true
    case .control: state == .unchanged
    case .positiveControl: state == .regressed
    }
  }

  /// The confirmation if it has pairs, otherwise the first comparison.
  public var last: CellCheck {
    guard let confirmation, !confirmation.logRatios.isEmpty else { return first }
    return confirmation
  }

  public var pairs: Int { stages.reduce(0) { $0 + $1.logRatios.count } }
  /// The number of rounds that were left out for both builds, because one of them was disturbed.
  public var disturbedRounds: Int { stages.reduce(0) { $0 + $1.pairs.disturbedRounds } }
  public var rounds: Int { stages.reduce(disturbedRounds) { $0 + $1.pairs.countedRounds } }
}

/// The pairs of two builds' samples that were taken to find a change, or those taken to confirm it.
public struct CellCheck: Sendable {
  public let key: CellKey
  public private(set) var pairs: PairRatios
  /// The verdict; `nil` while undecided.
  public private(set) var verdict: SequentialTest.Verdict?

  public init(_ key: CellKey, _ level: SampleLevel = .lowQuarter) {
    self.key = key
    pairs = PairRatios(level: level)
  }

  public var logRatios: [Double] { pairs.logRatios }

  /// Adds a pair, given as nanoseconds per job of each sample of both builds.
  public mutating func add(base: [Double], candidate: [Double], disturbed: Int = 0, _ test: SequentialTest) {
    if pairs.add(base: base, candidate: candidate, disturbed: disturbed) {
      verdict = test.verdict(of: logRatios)
    } else if pairs.empty >= test.rule.mostPairs {
      // Pairs without an undisturbed sample are limited. Otherwise a check on a constantly disturbed machine would not end.
      verdict = .inconclusive
    }
  }

  /// Whether the candidate is decided to cost more or less.
  public var hasChanged: Bool { verdict == .regressed || verdict == .improved }

  /// The mean ratio of candidate to base; `nil` if there are no pairs.
  public var ratio: Double? {
    Moments.mean(of: SequentialTest.clipped(logRatios)).map(LogRatio.ratio)
  }

  /// How far the true ratio may be from the measured one, as a share: 3.3 standard errors; `nil` for fewer than two pairs.
  public var resolution: Double? { pairs.deviation.map { 3.3 * $0 / Double(logRatios.count).squareRoot() } }
}

/// The log-ratios of pairs of two builds, or of one build with itself.
public struct PairRatios: Sendable {
  /// How the samples of one process are summarised.
  let level: SampleLevel
  /// The log-ratio of candidate to base for each pair.
  public private(set) var logRatios: [Double] = []
  /// The number of pairs in which every sample was disturbed.
  public private(set) var empty = 0
  /// The number of rounds that were left out because a sample of either side was disturbed.
  public private(set) var disturbedRounds = 0
  public private(set) var countedRounds = 0

  /// The standard deviation of the log-ratios, with outliers limited; `nil` for fewer than two pairs.
  var deviation: Double? { Moments.variance(of: SequentialTest.clipped(logRatios))?.squareRoot() }

  init(level: SampleLevel) { self.level = level }

  /// Adds a pair. Returns `false` if there is no ratio, because every sample was disturbed.
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
