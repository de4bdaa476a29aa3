import Foundation

/// Decides from pairs as they come whether a candidate costs more than its base, less, or neither.
///
/// Two sequential probability ratio tests (A. Wald, 1945), one for each direction, on the pairs' log-ratios. Their mean
/// and spread are unknown, so each hypothesis is represented by the mean that fits the values best among those it allows
/// (a generalised likelihood ratio): a difference far beyond ``Rule/relevant`` is decided no later than one just at it.
public struct SequentialTest: Sendable, Hashable {
  /// When to decide what. Differences are log-ratios.
  public struct Rule: Sendable, Hashable {
    /// A difference up to this is as good as none.
    public var negligible: Double
    /// A difference from here on must be found.
    public var relevant: Double
    /// The chance to find one where there is none, in each direction.
    public var falseAlarm: Double
    /// The chance to miss one that is just relevant. A change that is confirmed has to be found twice.
    public var miss: Double
    /// Nothing is decided on fewer pairs, whose spread is not known well enough.
    public var fewestPairs: Int
    /// From so many on, what is undecided is inconclusive.
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
    /// It costs neither more nor less by anything relevant.
    case unchanged
    /// The pairs differ among themselves by too much to tell.
    case inconclusive
  }

  public let rule: Rule

  public init(_ rule: Rule) { self.rule = rule }

  /// What these pairs decide; nil: one more is needed.
  ///
  /// - Parameter logRatios: of the candidate to the base, one for each pair, in the order in which they came.
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

  /// The logarithm of how much likelier the values are with a relevant difference than with a negligible one.
  private func evidence(in values: [Double]) -> Double {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
    func misfit(_ hypothesis: Double) -> Double { variance + (mean - hypothesis) * (mean - hypothesis) }
    let without = misfit(min(mean, rule.negligible))
    let with = misfit(max(mean, rule.relevant))
    // Values that are all the same fit one of the two perfectly.
    if without == with { return 0 }
    return with == 0 ? .infinity : without == 0 ? -.infinity : count / 2 * log(without / with)
  }

  /// The values with those beyond three deviations from the median pulled in: a pair that was disturbed counts, but not
  /// for more than any other. The deviation is the distance of the quartiles, scaled to the standard deviation of normal
  /// values; the median deviation would take the pairs of two processes that alternate for a single one.
  public static func clipped(_ values: [Double]) -> [Double] {
    guard let median = Quantiles.median(of: values), let low = Quantiles.quantile(0.25, of: values),
      let high = Quantiles.quantile(0.75, of: values)
    else { return values }
    let reach = 3 * (high - low) / 1.349
    return values.map { min(max($0, median - reach), median + reach) }
  }
}

/// Tests that are repeated while values come in, so that what is clear early need not wait for what is not.
///
/// Each look has a share of the level (weighted Bonferroni): the chance that any of them rejects what is true stays within the
/// whole, whenever one stops. What is clear early is far beyond any level, so the end has most of it.
public enum Looks {
  /// After so many values; one more look is taken at the end.
  public static let counts = [12, 24, 48, 96]
  /// Of the level, what the look at the end has; those before it have equal parts of the rest.
  public static let shareOfEnd = 0.6
  /// The end may come before the first of them, but with fewer values nothing is tested.
  public static let fewestValues = 6

  /// At how many values the next look is; nil: at the end.
  public static func next(after count: Int) -> Int? { counts.first { $0 > count } }

  /// A p-value for all looks together.
  ///
  /// - Parameters:
  ///   - values: in the order in which they came.
  ///   - hasEnded: false while more values may come: then what came after the latest look waits for the next.
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
