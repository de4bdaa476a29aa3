import TestSupport
import Testing

@testable import Statistics

@Suite(.ownThread) struct BinomialTailTests {
  /// Expected: scipy.stats.binom.cdf(successes, trials, 0.5).
  @Test(
    arguments: [
      (0, 5, 0.03125), (0, 6, 0.015625), (3, 10, 0.171875), (40, 100, 0.028443966820490444),
      (50, 100, 0.5397946186935889), (480, 1000, 0.10872414660207075), (990, 2000, 0.33547724277782703),
      (-1, 4, 0), (4, 4, 1), (0, 0, 1),
    ] as [(Int, Int, Double)])
  func `the lower tail is exact where powers of two underflow`(successes: Int, trials: Int, expected: Double)
  {
    #expect(isClose(BinomialTail.lower(successes, trials: trials), expected, tolerance: 1e-10))
  }

  @Test(arguments: [1, 2, 5, 6, 7, 20, 101, 1_500], [0.05, 0.025, 0.0005])
  func `the rank is the last whose tail is small enough`(trials: Int, tail: Double) {
    // By definition: P(at most r − 1) ≤ tail < P(at most r).
    let found = BinomialTail.rank(trials: trials, tail: tail)
    let rank = found?.rank ?? 0
    #expect(BinomialTail.lower(rank - 1, trials: trials) <= tail)
    #expect(BinomialTail.lower(rank, trials: trials) > tail)
    #expect(found.map { isClose($0.probability, BinomialTail.lower(rank - 1, trials: trials)) } ?? true)
  }
}
