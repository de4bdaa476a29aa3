import Foundation
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct SpreadTests {
  @Test func theSpreadIsTheStandardDeviationOfTheLogRatios() throws {
    var spread = Spread("a")
    for candidate in [1_010.0, 990, 1_010, 990] {
      spread.add(base: [1_000], candidate: [candidate], disturbed: 0, nanoseconds: 1)
    }
    let (high, low) = (log(1.01), log(0.99))
    let expected = (4 * pow((high - low) / 2, 2) / 3).squareRoot()
    #expect(abs(try #require(spread.deviation) - expected) < 1e-12)
  }

  @Test func aDifferenceOfBothSidesIsNoSpread() throws {
    let spread = DoctorFixture.spread(deviation: 0.01, mean: 0.3)
    let still = DoctorFixture.spread(deviation: 0.01)
    #expect(abs(try #require(spread.deviation) - (try #require(still.deviation))) < 1e-9)
    #expect(abs(try #require(spread.residuals).reduce(0, +)) < 1e-9)
  }

  @Test func aPairThatWasDisturbedSpreadsItByLittle() throws {
    var spread = DoctorFixture.spread(deviation: 0.01)
    spread.add(base: [1_000], candidate: [3_000], disturbed: 0, nanoseconds: 1)
    #expect(try #require(spread.deviation) < 0.02)
  }

  @Test func fewerThanTwoPairsHaveNoSpread() {
    #expect(DoctorFixture.spread(deviation: 0.01, pairs: 1).deviation == nil)
  }

  @Test func whatWasDroppedIsCountedForBothSidesAndAPairOfNothingIsEmpty() {
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
