/// How many values a sign test will need.
public enum SignTestSize {
  /// The fewest values with which a one-sided sign test probably rejects; nil if no number would do.
  ///
  /// G. E. Noether, Sample size determination for some common nonparametric tests, 1987, with the variance that the
  /// share implies instead of ¼; at least as many as the exact test needs when all values agree.
  ///
  /// - Parameters:
  ///   - contraryShare: the share of values that do not speak for rejection, ties included; from ½ on none will do.
  ///   - significance: of the one-sided test.
  ///   - power: how probable the rejection is to be.
  public static func values(contraryShare: Double, significance: Double, power: Double) -> Double? {
    precondition((0...1).contains(contraryShare), "a share lies between 0 and 1")
    guard contraryShare < 0.5 else { return nil }
    let critical = NormalDistribution.upperQuantile(significance) / 2
    let reserve =
      NormalDistribution.upperQuantile(1 - power) * (contraryShare * (1 - contraryShare)).squareRoot()
    let root = (critical + reserve) / (0.5 - contraryShare)
    return max((root * root).rounded(.up), Double(MedianInterval.smallestCount(level: 1 - 2 * significance)))
  }
}
