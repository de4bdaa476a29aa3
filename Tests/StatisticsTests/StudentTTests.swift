import TestSupport
import Testing

@testable import Statistics

@Suite(.ownThread) struct StudentTTests {
  /// As in any printed table; the last one is the normal distribution's.
  @Test(
    arguments: [
      (1, 0.05, 12.7062), (2, 0.01, 9.92484), (6, 0.05, 2.44691), (6, 0.001, 5.95882), (10, 0.01, 3.16927),
      (1e7, 0.05, 1.959964),
    ] as [(Double, Double, Double)])
  func `quantiles are those of printed tables`(degrees: Double, probability: Double, quantile: Double) {
    let found = StudentT(degreesOfFreedom: degrees).quantile(twoSided: probability)
    #expect(abs(found / quantile - 1) < 1e-5, "\(found)")
  }

  @Test(arguments: [0.5, 1, 3, 6, 40, 1e6] as [Double])
  func `the chance of a quantile is its probability`(degrees: Double) {
    let t = StudentT(degreesOfFreedom: degrees)
    for probability in [1e-9, 1e-5, 0.001, 0.2, 0.9, 1] {
      let chance = t.twoSidedPValue(t.quantile(twoSided: probability))
      #expect(abs(chance - probability) < 1e-6 * probability, "\(degrees) \(probability) \(chance)")
    }
  }

  /// Expected: scipy.stats.norm.isf.
  @Test(arguments: [
    (0.5, 0.0), (0.025, 1.959963984540054), (0.2, 0.8416212335729142), (0.9, -1.2815515655446008),
    (1e-9, 5.997807015007686),
  ])
  func `quantiles of the normal distribution are those of SciPy`(probability: Double, expected: Double) {
    #expect(isClose(NormalDistribution.upperQuantile(probability), expected, tolerance: 1e-10))
  }
}
