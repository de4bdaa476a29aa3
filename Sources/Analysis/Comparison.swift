import Statistics

/// How one cell's time relates to another's in the same scenario.
public struct Comparison: Sendable, Hashable {
  public enum Verdict: String, Sendable, Hashable {
    case faster
    case slower
    /// The pairs do not tell; that is not the same as being equal.
    case unresolved
  }

  /// How many pairs of samples it rests on.
  public let pairs: Int
  /// Median of the pairs' ratios; nil without pairs.
  public let ratio: Double?
  /// Ends of the ratio's interval; nil where the pairs are too few for its level.
  public let ratioLow: Double?
  public let ratioHigh: Double?
  /// The level of that interval: 1 − the significance at which Holm decided this comparison.
  public let level: Double
  /// Median of the pairs' differences, in nanoseconds per post.
  public let differenceNanoseconds: Double?
  /// The sign test's p-value, adjusted by Holm for the whole family.
  public let adjustedPValue: Double
  public let verdict: Verdict

  /// Decides a whole family of comparisons: the chance that any verdict but *unresolved* is false stays at most
  /// `familyWiseError`. In the order given.
  static func family(_ samples: [PairedSamples], familyWiseError: Double) -> [Comparison] {
    let pValues = samples.map { SignTest($0.logRatios).pValue }
    let decisions = HolmStepDown(pValues: pValues, alpha: familyWiseError).decisions
    return zip(samples, decisions).map(Comparison.init)
  }

  private init(_ samples: PairedSamples, _ decision: HolmStepDown.Decision) {
    let logRatios = samples.logRatios
    let interval = MedianInterval(of: logRatios, level: 1 - decision.significance)
    pairs = logRatios.count
    ratio = Quantiles.median(of: logRatios).map(LogRatio.ratio)
    ratioLow = interval.map { LogRatio.ratio($0.low) }
    ratioHigh = interval.map { LogRatio.ratio($0.high) }
    level = 1 - decision.significance
    differenceNanoseconds = Quantiles.median(of: samples.differencesNanoseconds)
    adjustedPValue = decision.adjustedPValue
    verdict =
      switch interval {
      case .some(let interval) where interval.low > 0: .slower
      case .some(let interval) where interval.high < 0: .faster
      default: .unresolved
      }
  }
}
