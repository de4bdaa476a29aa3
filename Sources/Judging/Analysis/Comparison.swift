import Foundation
import Results
import Statistics

/// How one cell's time relates to another's in the same scenario.
public struct Comparison: Sendable, Hashable {
  /// How many pairs of samples it rests on.
  public let pairs: Int
  /// Median of the pairs' ratios; nil without pairs.
  public let ratio: Double?
  /// Ends of the ratio's interval; nil where the pairs are too few for its level, or too disturbed.
  ///
  /// It leaves out 1 exactly if the verdict is *faster* or *slower*. Otherwise it lies within the margin exactly if the
  /// verdict is *equivalent*.
  public let ratioLow: Double?
  public let ratioHigh: Double?
  /// The level of that interval; nil where nothing was tested.
  public let level: Double?
  /// Median of the pairs' differences, in nanoseconds per post.
  public let differenceNanoseconds: Double?
  /// The sign test's p-value, adjusted by Holm for the whole family; nil where nothing was tested.
  public let adjustedPValue: Double?
  /// That of the two one-sided tests of equivalence, adjusted for theirs.
  public let adjustedEquivalencePValue: Double?
  public let verdict: Verdict
  /// Whether the ratio is proved to lie within the margin, be it different from 1 or not; nil where nothing was tested.
  public let isWithinMargin: Bool?
  /// How many pairs would probably resolve what is unresolved, those at hand included; at most
  /// ``AnalysisOptions/mostRoundsToResolve``, which stands for that many or more. An estimate, nil where none is needed or none can be
  /// made.
  public let roundsToResolve: Int?

  /// What is known of a pair in a scenario that was too disturbed to decide anything.
  init(undecided samples: PairedSamples) {
    pairs = samples.pairs.count
    ratio = Quantiles.median(of: samples.logRatios).map(LogRatio.ratio)
    differenceNanoseconds = Quantiles.median(of: samples.differencesNanoseconds)
    verdict = .unresolved
    ratioLow = nil
    ratioHigh = nil
    level = nil
    adjustedPValue = nil
    adjustedEquivalencePValue = nil
    isWithinMargin = nil
    roundsToResolve = nil
  }

  init(_ samples: PairedSamples, _ tests: Tests, margin: Double) {
    let logRatios = samples.logRatios
    pairs = logRatios.count
    ratio = Quantiles.median(of: logRatios).map(LogRatio.ratio)
    differenceNanoseconds = Quantiles.median(of: samples.differencesNanoseconds)
    adjustedPValue = tests.difference.adjustedPValue
    adjustedEquivalencePValue = tests.equivalence.adjustedPValue

    let differing = MedianInterval(of: logRatios, level: tests.differenceLevel)
    // At the stricter of both levels, so that one interval says both: not told apart, and whether within the margin.
    let common = MedianInterval(of: logRatios, level: tests.commonLevel)
    isWithinMargin = common.map { -margin < $0.low && $0.high < margin } ?? false
    verdict =
      switch differing {
      case .some(let interval) where interval.low > 0: .slower
      case .some(let interval) where interval.high < 0: .faster
      default: isWithinMargin == true ? .equivalent : .unresolved
      }
    let isDifferent = verdict == .slower || verdict == .faster
    let interval = isDifferent ? differing : common
    ratioLow = interval.map { LogRatio.ratio($0.low) }
    ratioHigh = interval.map { LogRatio.ratio($0.high) }
    level = isDifferent ? tests.differenceLevel : tests.commonLevel
    roundsToResolve =
      verdict == .unresolved ? tests.roundsToResolve(logRatios, margin: margin) : nil
  }
}
