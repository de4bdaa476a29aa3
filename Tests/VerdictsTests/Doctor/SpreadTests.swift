import Foundation
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct SpreadTests {
  @Test func `the spread is the standard deviation of the log-ratios`() throws {
    var spread = Spread("a")
    for candidate in [1_010.0, 990, 1_010, 990] {
      spread.add(base: [1_000], candidate: [candidate], disturbed: 0, nanoseconds: 1)
    }
    let (high, low) = (log(1.01), log(0.99))
    let expected = (4 * pow((high - low) / 2, 2) / 3).squareRoot()
    #expect(abs(try #require(spread.deviation) - expected) < 1e-12)
  }

  @Test func `a constant difference is no spread`() throws {
    let spread = DoctorFixture.spread(deviation: 0.01, mean: 0.3)
    let still = DoctorFixture.spread(deviation: 0.01)
    #expect(abs(try #require(spread.deviation) - (try #require(still.deviation))) < 1e-9)
    #expect(abs(try #require(spread.residuals).reduce(0, +)) < 1e-9)
  }

  @Test func `one disturbed pair changes the spread little`() throws {
    var spread = DoctorFixture.spread(deviation: 0.01)
    spread.add(base: [1_000], candidate: [3_000], disturbed: 0, nanoseconds: 1)
    #expect(try #require(spread.deviation) < 0.02)
  }

  @Test func `fewer than two pairs have no spread`() {
    #expect(DoctorFixture.spread(deviation: 0.01, pairs: 1).deviation == nil)
  }

  @Test func `dropped samples and empty pairs are counted`() {
    var spread = Spread("a")
    spread.add(base: [], candidate: [], disturbed: 24, nanoseconds: 3)
    spread.add(base: [1, 1], candidate: [1, 1], disturbed: 1, nanoseconds: 5)
    #expect(spread.pairs.empty == 1)
    #expect(spread.logRatios == [0])
    #expect(spread.pairs.countedRounds == 2)
    #expect(spread.pairs.disturbedRounds == 25)
    #expect(spread.pairNanoseconds == 4)
  }
}
