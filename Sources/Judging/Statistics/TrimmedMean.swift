import Foundation

/// The mean of values without the highest and lowest tenth, with an error from Student's t distribution.
///
/// K. K. Yuen, The two-sample trimmed t for unequal population variances, 1974, for one sample: the variance is that of the winsorised
/// values. Of the estimators tried on recorded rounds, only this one kept its level with heavy tails.
public struct TrimmedMean: Sendable, Hashable {
  public let count: Int
  public let mean: Double
  /// The standard error of ``mean``; 0 if all values are equal.
  public let standardError: Double
  public let degreesOfFreedom: Double

  /// Returns `nil` for fewer than two values.
  ///
  /// - Parameter trimmedShare: the share of values to remove at each end; below a half. Fewer than 1 ÷ share values are not trimmed.
  public init?(of values: [Double], trimmedShare: Double = 0.1) {
    precondition(trimmedShare >= 0 && trimmedShare < 0.5, "trimmedShare must be at least 0 and below 0.5")
    guard values.count > 1 else { return nil }
    let sorted = values.sorted()
    let trimmed = Int(trimmedShare * Double(sorted.count))
    let kept = sorted[trimmed..<sorted.count - trimmed]
    let (low, high) = (kept.first!, kept.last!)
    let winsorised = sorted.map { min(max($0, low), high) }
    let centre = winsorised.reduce(0, +) / Double(winsorised.count)
    let squares = winsorised.reduce(0) { $0 + ($1 - centre) * ($1 - centre) }
    count = values.count
    degreesOfFreedom = Double(kept.count - 1)
    // Rounding may move the sum of equal values, so their mean is not computed from the sum.
    mean = low == high ? low : kept.reduce(0, +) / Double(kept.count)
    standardError = low == high ? 0 : (squares / (Double(kept.count) * degreesOfFreedom)).squareRoot()
  }

  /// The probability of a mean at least this far from `value`, on either side, if `value` is the true mean.
  public func twoSidedPValue(against value: Double = 0) -> Double {
    guard standardError > 0 else { return mean == value ? 1 : 0 }
    return StudentT(degreesOfFreedom: degreesOfFreedom).twoSidedPValue((mean - value) / standardError)
  }

  /// Two one-sided tests (Schuirmann, 1987): the probability of such a mean if the true mean is not within ± `margin`.
  public func equivalencePValue(margin: Double) -> Double {
    precondition(margin > 0, "a margin of equivalence is above 0")
    func oneSided(_ end: Double, isInside: Bool) -> Double {
      let half = twoSidedPValue(against: end) / 2
      return isInside ? half : 1 - half
    }
    return max(oneSided(margin, isInside: mean < margin), oneSided(-margin, isInside: mean > -margin))
  }

  /// The interval that covers the true mean with probability `level`, which is above 0 and below 1.
  public func interval(level: Double) -> ClosedRange<Double> {
    precondition(level > 0 && level < 1, "a confidence level lies between 0 and 1")
    return interval(level: level, standardError: standardError, degreesOfFreedom: degreesOfFreedom)
  }

  private func interval(
    level: Double, standardError: Double, degreesOfFreedom: Double
  ) -> ClosedRange<Double> {
    guard standardError > 0 else { return mean...mean }
    let reach = standardError * StudentT(degreesOfFreedom: degreesOfFreedom).quantile(twoSided: 1 - level)
    return mean - reach...mean + reach
  }

  /// The interval for clustered values, by one-way analysis of variance with clusters of unequal size. Differences between clusters that
  /// their values do not explain add to the error; their degrees of freedom are the number of clusters minus 1.
  ///
  /// Outliers are limited to ``farthest`` deviations, so that one outlier does not make a small cluster look different. Trimming instead
  /// would hide a small cluster that does differ.
  ///
  /// - Parameter clusters: the same values, divided into at least two clusters.
  public func interval(level: Double, clusters: [[Double]]) -> ClosedRange<Double> {
    precondition(level > 0 && level < 1, "a confidence level lies between 0 and 1")
    let (all, number) = (Double(count), Double(clusters.count))
    let sizes = clusters.map { Double($0.count) }
    var rest = Self.pulledIn(clusters.flatMap(\.self))[...]
    let means = clusters.map { cluster in
      defer { rest = rest.dropFirst(cluster.count) }
      return rest.prefix(cluster.count).reduce(0, +) / Double(cluster.count)
    }
    let centre = zip(sizes, means).reduce(0) { $0 + $1.0 * $1.1 } / all
    let between = zip(sizes, means).reduce(0) { $0 + $1.0 * ($1.1 - centre) * ($1.1 - centre) }
    let squares = sizes.reduce(0) { $0 + $1 * $1 }
    let within = standardError * standardError
    let beyond = max(0, between - (number - 1) * within * all) / (all - squares / all)
    return interval(
      level: level, standardError: (within + beyond * squares / (all * all)).squareRoot(),
      degreesOfFreedom: beyond > 0 ? number - 1 : degreesOfFreedom)
  }

  /// The values in order, limited to ``farthest`` deviations from their median.
  static func pulledIn(_ values: [Double]) -> [Double] {
    guard let middle = Quantiles.median(of: values) else { return [] }
    // The median absolute deviation, scaled to the standard deviation of a normal distribution.
    let deviation = 1.4826 * (Quantiles.median(of: values.map { abs($0 - middle) }) ?? 0)
    let (low, high) = (middle - farthest * deviation, middle + farthest * deviation)
    return values.map { min(max($0, low), high) }
  }

  private static let farthest = 4.0

  /// The sample size at which a test with this `power` rejects a mean at `distance`, if values vary like these; infinite for distance 0.
  ///
  /// - Parameter significance: the level of the one-sided test.
  public func count(toReject distance: Double, significance: Double, power: Double) -> Double {
    guard distance > 0 else { return .infinity }
    let spread = standardError * Double(count).squareRoot() / distance
    let reserve = NormalDistribution.upperQuantile(1 - power)
    var needed = pow((NormalDistribution.upperQuantile(significance) + reserve) * spread, 2)
    // The count depends on t, and t depends on the count, so the loop approaches both.
    for _ in 0..<3 {
      let critical = StudentT(degreesOfFreedom: max(1, 0.8 * needed - 1)).quantile(twoSided: 2 * significance)
      needed = pow((critical + reserve) * spread, 2)
    }
    return needed.rounded(.up)
  }
}
