import Testing

@testable import Statistics

@Suite struct BinomialTailTests {
  /// Expected: scipy.stats.binom.cdf(successes, trials, 0.5).
  @Test(
    arguments: [
      (0, 5, 0.03125), (0, 6, 0.015625), (3, 10, 0.171875), (40, 100, 0.028443966820490444),
      (50, 100, 0.5397946186935889), (480, 1000, 0.10872414660207075), (990, 2000, 0.33547724277782703),
      (-1, 4, 0), (4, 4, 1), (0, 0, 1),
    ] as [(Int, Int, Double)])
  func theLowerTailIsExactAlsoWherePowersOfTwoUnderflow(successes: Int, trials: Int, expected: Double) {
    #expect(isClose(BinomialTail.lower(successes, trials: trials), expected, tolerance: 1e-10))
  }
}
