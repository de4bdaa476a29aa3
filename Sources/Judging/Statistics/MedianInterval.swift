/// A confidence interval for a median that assumes nothing about the distribution but independent values.
public struct MedianInterval: Sendable, Hashable {
  public let low: Double
  public let high: Double
  /// The probability that such an interval covers the median: at least the level that was asked for.
  public let coverage: Double

  /// The narrowest symmetric interval between order statistics whose exact binomial coverage reaches `level`.
  ///
  /// It runs from the k-th smallest to the k-th largest value, ends included, which is the sign test turned around:
  /// it leaves out a value exactly when a sign test rejects it as the median at 1 − `level`. Ties keep their place
  /// among the order statistics, so they can only raise the coverage. nil where the values are too few
  /// (``smallestCount(level:)``): even the interval from minimum to maximum would promise too much.
  ///
  /// - Parameter level: such as 0.95; above 0 and below 1.
  public init?(of values: [Double], level: Double) {
    precondition(level > 0 && level < 1, "a confidence level lies between 0 and 1")
    let sorted = values.sorted()
    guard let (rank, tail) = BinomialTail.rank(trials: sorted.count, tail: (1 - level) / 2) else {
      return nil
    }
    low = sorted[rank - 1]
    high = sorted[sorted.count - rank]
    coverage = 1 - 2 * tail
  }

  /// The fewest values that have an interval at this level: 6 at 0.95.
  public static func smallestCount(level: Double) -> Int {
    precondition(level > 0 && level < 1, "a confidence level lies between 0 and 1")
    var count = 1
    while BinomialTail.lower(0, trials: count) > (1 - level) / 2 { count += 1 }
    return count
  }
}
