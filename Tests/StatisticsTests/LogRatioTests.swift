import Statistics
import TestSupport
import Testing

@Suite(.ownThread) struct LogRatioTests {
  @Test(
    arguments: [(2.0, 1.0, 0.6931471805599453), (1, 2, -0.6931471805599453), (5, 5, 0)]
      as [(Double, Double, Double)])
  func `a log-ratio is symmetric`(numerator: Double, denominator: Double, expected: Double) {
    let value = LogRatio.of(numerator, to: denominator)
    #expect(isClose(value, expected))
    #expect(isClose(LogRatio.ratio(value), numerator / denominator))
  }
}
