import Foundation

/// Decides from pairs, as they arrive, whether a candidate costs more than its base, less, or neither.
///
/// Two sequential probability ratio tests (A. Wald, 1945), one for each direction, on the pairs' log-ratios. Mean and spread are
/// unknown, so the best-fitting mean of each hypothesis stands for it (a generalised likelihood ratio).
public struct SequentialTest: Sendable, Hashable {
  /// The bounds and error rates. Differences are log-ratios.
  public struct Rule: Sendable, Hashable {
    /// A smaller difference counts as none.
    public var negligible: Double
    /// A larger difference must be found.
    public var relevant: Double
    /// The chance of a false difference, in each direction.
    public var falseAlarm: Double
    /// The chance to miss a difference that is just relevant. A confirmed change is found twice.
    public var miss: Double
    /// Fewer pairs do not show their spread.
    public var fewestPairs: Int
    /// An undecided test is inconclusive from here on.
    public var mostPairs: Int

    public init(
      negligible: Double, relevant: Double, falseAlarm: Double = 0.0005, miss: Double = 0.01,
      fewestPairs: Int = 8, mostPairs: Int = 120
    ) {
      precondition(
        0 <= negligible && negligible < relevant, "what is relevant lies beyond what is negligible")
      precondition(
        0 < falseAlarm && falseAlarm < 0.5 && 0 < miss && miss < 0.5, "error rates lie between 0 and a half")
      precondition(2 <= fewestPairs && fewestPairs <= mostPairs, "a spread takes two pairs")
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
    /// It costs less.
    case improved
    /// The difference is not relevant in either direction.
    case unchanged
    /// The pairs vary too much.
    case inconclusive
  }

  public let rule: Rule

  public init(_ rule: Rule) { self.rule = rule }

  /// The verdict on these pairs; nil: another pair is needed.
  ///
  /// - Parameter logRatios: candidate to base, one for each pair in order of arrival.
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

  /// The log-likelihood ratio of a relevant difference to a negligible one.
  private func evidence(in values: [Double]) -> Double {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
    func misfit(_ hypothesis: Double) -> Double { variance + (mean - hypothesis) * (mean - hypothesis) }
    let without = misfit(min(mean, rule.negligible))
    let with = misfit(max(mean, rule.relevant))
    // Equal values fit one of the two perfectly.
    if without == with { return 0 }
    return with == 0 ? .infinity : without == 0 ? -.infinity : count / 2 * log(without / with)
  }

  /// The values, pulled in to three deviations from the median, so that a disturbed pair counts no more than any other. The deviation
  /// comes from the quartiles: the median deviation would ignore the second of two alternating processes.
  public static func clipped(_ values: [Double]) -> [Double] {
    guard let median = Quantiles.median(of: values), let low = Quantiles.quantile(0.25, of: values),
      let high = Quantiles.quantile(0.75, of: values)
    else { return values }
    let reach = 3 * (high - low) / 1.349
    return values.map { min(max($0, median - reach), median + reach) }
  }
}

/// Repeated tests while values arrive, so that a clear result need not wait.
///
/// Each look has a share of the level (weighted Bonferroni), so all looks together keep it, whenever they stop. The last look has most
/// of it, since clear results are far beyond any level.
public enum Looks {
  /// After this many values each; the last look is at the end.
  public static let counts = [12, 24, 48, 96]
  /// The share of the level for the last look; the others divide the rest equally.
  public static let shareOfEnd = 0.6
  /// Fewer values are not tested.
  public static let fewestValues = 6

  /// The number of values at the next look; nil: at the end.
  public static func next(after count: Int) -> Int? { counts.first { $0 > count } }

  /// A p-value for all looks together.
  ///
  /// - Parameters:
  ///   - values: in order of arrival.
  ///   - hasEnded: false while more may arrive: values after the latest look wait for the next.
  ///   - pValue: of one look.
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
