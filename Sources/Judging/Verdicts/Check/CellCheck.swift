import Foundation
import Statistics

/// What is known of one cell of two builds, pair by pair.
public struct CellCheck: Sendable {
  public let key: CellKey
  let level: SampleLevel
  /// Of the candidate to the base, a pair each.
  public private(set) var logRatios: [Double] = []
  /// Rounds, a sample of each build, that were left out because one was disturbed, and those that were not.
  public private(set) var disturbedRounds = 0
  public private(set) var countedRounds = 0
  private var emptyPairs = 0
  /// nil: not decided yet.
  public private(set) var verdict: SequentialTest.Verdict?
  /// Why there is no verdict: the cell's sample was not measured.
  public private(set) var failure: String?

  /// - Parameter level: what stands for the samples of a pair.
  public init(_ key: CellKey, _ level: SampleLevel = .lowQuarter) {
    self.key = key
    self.level = level
  }

  /// Adds a pair: nanoseconds per post, a sample each.
  public mutating func add(
    base: [Double], candidate: [Double], disturbed: Int = 0, _ test: SequentialTest
  ) {
    disturbedRounds += disturbed
    countedRounds += base.count
    guard let base = level.of(base), base > 0, let candidate = level.of(candidate), candidate > 0
    else {
      emptyPairs += 1
      // A machine that is disturbed all the time decides nothing.
      if emptyPairs >= test.rule.mostPairs { verdict = .inconclusive }
      return
    }
    logRatios.append(LogRatio.of(candidate, to: base))
    verdict = test.verdict(of: logRatios)
  }

  /// Whether the pairs say that the candidate costs more or less.
  public var hasChanged: Bool { verdict == .regressed || verdict == .improved }

  public mutating func fail(_ reason: String) { failure = reason }

  /// The ratio of the candidate to the base, the mean of the pairs; nil without pairs.
  public var ratio: Double? { mean.map(LogRatio.ratio) }

  /// How far from the ratio the true one may lie, as a share of 1: three standard errors and a little; nil of fewer than
  /// two pairs. This run cannot distinguish what differs by less.
  public var resolution: Double? { spread.map { 3.3 * $0 / Double(logRatios.count).squareRoot() } }

  /// By how much pairs differ among themselves, a standard deviation as a share of 1; nil of fewer than two pairs.
  var spread: Double? {
    guard let mean, logRatios.count > 1 else { return nil }
    let values = SequentialTest.clipped(logRatios)
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / Double(values.count - 1)).squareRoot()
  }

  private var mean: Double? {
    guard !logRatios.isEmpty else { return nil }
    return SequentialTest.clipped(logRatios).reduce(0, +) / Double(logRatios.count)
  }
}
