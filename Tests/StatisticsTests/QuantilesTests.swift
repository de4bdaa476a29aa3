import Statistics
import TestSupport
import Testing

@Suite(.ownThread) struct QuantilesTests {
  /// Expected: numpy.quantile(values, fraction), method "linear".
  @Test(
    arguments: [
      (0, 1.2), (0.1, 1.68), (0.25, 2.55), (0.5, 4.4), (0.9, 9.16), (0.99, 9.646), (1, 9.7),
    ] as [(Double, Double)])
  func `a quantile interpolates between order statistics as NumPy does`(fraction: Double, expected: Double) {
    let values = [3.1, 1.2, 9.7, 4.4, 2.0, 8.8, 5.5]
    #expect(isClose(Quantiles.quantile(fraction, of: values), expected))
  }

  @Test(
    arguments: [([7.0], 7.0), ([1, 2], 1.5), ([3, 1, 2], 2), ([4, 1, 3, 2], 2.5), ([5, 5, 5, 1], 5)]
      as [([Double], Double)])
  func `the median is the middle or the mean of the two middle ones`(values: [Double], expected: Double) {
    #expect(Quantiles.median(of: values) == expected)
  }

  @Test(
    arguments: [
      (.lowQuarter, [8.0], 8.0), (.lowQuarter, [4, 3, 2, 1], 1), (.lowQuarter, [5, 4, 3, 2, 1], 1.5),
      (.lowQuarter, [8, 7, 6, 5, 4, 3, 2, 1], 1.5), (.lowQuarter, [9, 8, 7, 6, 5, 4, 3, 2, 1], 2),
      (.lowHalf, [8.0], 8.0), (.lowHalf, [4, 3, 2, 1], 1.5), (.lowHalf, [5, 4, 3, 2, 1], 2),
    ] as [(SampleLevel, [Double], Double)])
  func `a low mean takes a quarter or half of the values, rounded up`(
    level: SampleLevel, values: [Double], expected: Double
  ) {
    #expect(level.of(values) == expected)
  }

  @Test func `no values have no quantile`() {
    #expect(Quantiles.quantile(0.9, of: []) == nil)
    #expect(Quantiles.median(of: []) == nil)
    #expect(SampleLevel.lowQuarter.of([]) == nil)
    #expect(SampleLevel.lowHalf.of([]) == nil)
  }

  @Test(
    arguments: [(2.0, 1.0, 0.6931471805599453), (1, 2, -0.6931471805599453), (5, 5, 0)]
      as [(Double, Double, Double)])
  func `a log-ratio is symmetric`(numerator: Double, denominator: Double, expected: Double) {
    let value = LogRatio.of(numerator, to: denominator)
    #expect(isClose(value, expected))
    #expect(isClose(LogRatio.ratio(value), numerator / denominator))
  }
}
