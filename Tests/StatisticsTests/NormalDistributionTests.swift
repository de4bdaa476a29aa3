import TestSupport
import Testing

@testable import Statistics

@Suite(.ownThread) struct NormalDistributionTests {
  /// Expected: scipy.stats.norm.isf.
  @Test(arguments: [
    (0.5, 0.0), (0.025, 1.959963984540054), (0.2, 0.8416212335729142), (0.9, -1.2815515655446008),
    (1e-9, 5.997807015007686),
  ])
  func `quantiles are those of printed tables`(probability: Double, expected: Double) {
    #expect(isClose(NormalDistribution.upperQuantile(probability), expected, tolerance: 1e-10))
  }
}
