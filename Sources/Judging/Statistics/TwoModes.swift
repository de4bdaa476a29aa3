import Foundation

/// Two groups of times that no single number describes. Example: a lock that is acquired either immediately or after a sleep.
///
/// The split of the logarithms with the least squares (W. D. Fisher, On grouping for maximum homogeneity, 1958), with at least three
/// values and a tenth of all on each side. A split counts if the medians differ fourfold and Ashman, Bird and Zepf's D (1994) is
/// above 5: the best split of a normal distribution has a D of 2.7, that of a uniform distribution 3.5.
public struct TwoModes: Sendable, Equatable {
  /// `low` and `high` are the medians of the two groups. `lowCount` and `highCount` are their numbers of values.
  public let low: Double
  public let lowCount: Int
  public let high: Double
  public let highCount: Int

  /// Returns `nil` if the values form one group, or for fewer than 20 values. All values must be above 0.
  public init?(_ values: [Double]) {
    let sorted = values.sorted()
    let least = max(3, (sorted.count + 9) / 10)
    guard sorted.count >= 20, sorted[0] > 0 else { return nil }
    let logs = sorted.map { log($0 / sorted[sorted.count / 2]) }
    var best: (squares: Double, count: Int, distance: Double) = (.infinity, 0, 0)
    let (sum, squares) = (logs.reduce(0, +), logs.reduce(0) { $0 + $1 * $1 })
    var (lowSum, lowSquares) = (0.0, 0.0)
    for (index, value) in logs.enumerated() {
      (lowSum, lowSquares) = (lowSum + value, lowSquares + value * value)
      let (low, high) = (Double(index + 1), Double(logs.count - index - 1))
      guard min(low, high) >= Double(least) else { continue }
      let lowRest = max(0, lowSquares - lowSum * lowSum / low)
      let highRest = max(0, squares - lowSquares - (sum - lowSum) * (sum - lowSum) / high)
      let spread = ((lowRest / (low - 1) + highRest / (high - 1)) / 2).squareRoot()
      let distance = ((sum - lowSum) / high - lowSum / low) / max(spread, .leastNormalMagnitude)
      if lowRest + highRest < best.squares { best = (lowRest + highRest, index + 1, distance) }
    }
    guard best.distance > 5,
      let low = Quantiles.median(of: Array(sorted[..<best.count])),
      let high = Quantiles.median(of: Array(sorted[best.count...])), high >= 4 * low
    else { return nil }
    (self.low, self.high, lowCount, highCount) = (low, high, best.count, sorted.count - best.count)
  }
}
