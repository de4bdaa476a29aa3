import Foundation

/// Decides, while pairs of samples arrive, whether a candidate costs more than its base, less, or the same.
///
/// Two sequential probability ratio tests (A. Wald, 1945), one for each direction, on the pairs' log-ratios. Mean and variance are
/// unknown, so each hypothesis is represented by its best-fitting mean (a generalised likelihood ratio).
public struct SequentialTest: Sendable, Hashable {
  /// The limits and error rates of a test. Differences are log-ratios.
  public struct Rule: Sendable, Hashable {
    /// The largest difference that counts as no difference.
    public var negligible: Double
    /// The smallest difference that must be found.
    public var relevant: Double
    /// The accepted probability of finding a difference that does not exist, in each direction.
    public var falseAlarm: Double
    /// The accepted probability that one test misses a difference of the size `relevant`. A change counts only if two tests find it.
    public var miss: Double
    /// The fewest pairs for a verdict. Fewer pairs do not show the variance.
    public var fewestPairs: Int
    /// The number of pairs after which an undecided test ends as inconclusive.
    public var mostPairs: Int

    public init(
      negligible: Double, relevant: Double, falseAlarm: Double = 0.0005, miss: Double = 0.01,
      fewestPairs: Int = 8, mostPairs: Int = 120
    ) {
      precondition(
        0 <= negligible && negligible < relevant,
        "negligible must be at least 0, and relevant larger than negligible")
      precondition(
        0 < falseAlarm && falseAlarm < 0.5 && 0 < miss && miss < 0.5,
        "falseAlarm and miss must lie between 0 and 0.5")
      precondition(
        2 <= fewestPairs && fewestPairs <= mostPairs,
        "fewestPairs must be at least 2, and mostPairs not smaller")
      self.negligible = negligible
      self.relevant = relevant
      self.falseAlarm = falseAlarm
      self.miss = miss
      self.fewestPairs = fewestPairs
      self.mostPairs = mostPairs
    }
  }

  public enum Verdict: String, Sendable, Hashable {
    /// The candidate costs more.
    case regressed
    /// The candidate costs less.
    case improved
    /// The difference is not relevant in either direction.
    case unchanged
    /// The ratios of the paired samples vary too much for a decision.
    case inconclusive
  }

  public let rule: Rule

  public init(_ rule: Rule) { self.rule = rule }

  /// The verdict on these pairs; `nil` if another pair is needed.
  ///
  /// - Parameter logRatios: the log-ratio of candidate to base for each pair, in order of arrival.
  public func verdict(of logRatios: [Double]) -> Verdict? {
    guard logRatios.count >= rule.fewestPairs else { return nil }
    let values = Self.clipped(logRatios)
    let slower = evidence(in: values)
    let faster = evidence(in: values.map { -$0 })
    let found = log((1 - rule.miss) / rule.falseAlarm)
    let dismissed = log(rule.miss / (1 - rule.falseAlarm))
    if slower >= found { return .regressed }
    if faster >= found { return .improved }
    if slower <= dismissed, faster <= dismissed { return .unchanged }
    return logRatios.count >= rule.mostPairs ? .inconclusive : nil
  }

  /// The log-likelihood ratio of a relevant difference against a negligible one.
  private func evidence(in values: [Double]) -> Double {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
    func misfit(_ hypothesis: Double) -> Double { variance + (mean - hypothesis) * (mean - hypothesis) }
    let without = misfit(min(mean, rule.negligible))
    let with = misfit(max(mean, rule.relevant))
    // Equal values may fit one hypothesis perfectly. Its misfit is then 0, and the likelihood ratio is infinite.
    if without == with { return 0 }
    return with == 0 ? .infinity : without == 0 ? -.infinity : count / 2 * log(without / with)
  }

  /// The values, limited to three standard deviations from the median, so that a disturbed pair has little weight. The deviation is
  /// estimated from the quartiles: of values around two levels, the median absolute deviation may describe only one level.
  public static func clipped(_ values: [Double]) -> [Double] {
    guard let median = Quantiles.median(of: values), let low = Quantiles.quantile(0.25, of: values),
      let high = Quantiles.quantile(0.75, of: values)
    else { return values }
    let reach = 3 * (high - low) / 1.349
    return values.map { min(max($0, median - reach), median + reach) }
  }
}

/// Tests values repeatedly while they arrive, so that a clear result can end the measurement early.
///
/// Each test (a look) has a share of the level (weighted Bonferroni), so all tests together keep the level, whenever they stop. The last
/// test has the largest share. A clear result needs only a small one.
public enum Looks {
  /// The values are tested when their number reaches each of these counts, and at the end of the measurement.
  public static let counts = [12, 24, 48, 96]
  /// The last test's share of the level. The other tests divide the rest equally.
  public static let shareOfEnd = 0.6
  /// The fewest values that are tested.
  public static let fewestValues = 6

  /// The number of values at the next test; `nil` if the next test is at the end.
  public static func next(after count: Int) -> Int? { counts.first { $0 > count } }

  /// The p-value of all tests together.
  ///
  /// - Parameters:
  ///   - values: the values in order of arrival.
  ///   - hasEnded: `false` while more values may arrive. Values after the latest test then wait for the next test.
  ///   - pValue: computes the p-value of one test.
  public static func pValue(
    of values: [Double], hasEnded: Bool, _ pValue: (TrimmedMean) -> Double
  ) -> Double {
    func look(at count: Int, share: Double) -> Double? {
      TrimmedMean(of: Array(values.prefix(count))).map { pValue($0) / share }
    }
    let share = (1 - shareOfEnd) / Double(counts.count)
    var found = counts.filter { $0 <= values.count }.compactMap { look(at: $0, share: share) }
    if hasEnded, values.count >= fewestValues, let end = look(at: values.count, share: shareOfEnd) {
      found.append(end)
    }
    return min(1, found.min() ?? 1)
  }
}
