import Foundation
import Statistics
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct ResolutionTests {
  private func resolution(
    deviation: Double, cells: Int = 8, milliseconds: Double = 100, times: [Double] = [10, 60, 300],
    seed: UInt64 = 1, checks: Int = 40
  ) throws -> Resolution {
    var generator = SeededNumbers(seed: seed)
    let resolution = Resolution(
      of: [DoctorFixture.spread(deviation: deviation, milliseconds: milliseconds)],
      DoctorFixture.terms(cells: cells), times: times, checks: checks, using: &generator)
    return try #require(resolution)
  }

  /// Eight cells and two proofs take eight pairs each, and the confirmation takes eight more: 88 of a tenth of a second.
  @Test func `a machine that repeats exactly takes the fewest pairs`() throws {
    let resolution = try resolution(deviation: 0)
    #expect(abs(try #require(resolution.usualSeconds) - 8.8) < 1e-9)
    #expect(resolution.smallest.map(\.margin) == [0.01, 0.01, 0.01])
  }

  @Test func `an unsteady machine finds only large slow-downs`() throws {
    let (steady, unsteady) = (
      try resolution(deviation: 0.01, checks: 20), try resolution(deviation: 0.05, checks: 20)
    )
    #expect(try #require(steady.usualSeconds) < 30)
    #expect(unsteady.usualSeconds == nil)
    let (fine, coarse) = (steady.smallest[2].margin, unsteady.smallest[2].margin)
    #expect(try #require(fine) < (try #require(coarse)))
  }

  @Test func `more time never finds less`() throws {
    let margins = try resolution(deviation: 0.02, times: [5, 10, 20, 40, 80]).smallest.map { $0.margin ?? 1 }
    #expect(margins == margins.sorted(by: >))
  }

  @Test func `the same seed gives the same resolution`() throws {
    let first = try resolution(deviation: 0.02, times: [60], seed: 7, checks: 5)
    #expect(try resolution(deviation: 0.02, times: [60], seed: 7, checks: 5) == first)
  }

  /// A check takes eight pairs or more.
  @Test(arguments: [([8, 8], true), ([8, 7], false), ([0], false), ([], false)])
  func `fewer pairs than a check takes give no resolution`(pairs: [Int], isKnown: Bool) {
    var generator = SeededNumbers(seed: 1)
    let spreads = pairs.map { DoctorFixture.spread(deviation: 0.01, pairs: $0) }
    let resolution = Resolution(
      of: spreads, DoctorFixture.terms(), times: [10], checks: 5, using: &generator)
    #expect((resolution != nil) == isKnown)
  }

  /// The noisier of two contenders has half of the cells, and they decide.
  @Test func `the simulated cells alternate between the measured spreads`() throws {
    var generator = SeededNumbers(seed: 1)
    let resolution = Resolution(
      of: [
        DoctorFixture.spread("a", deviation: 0), DoctorFixture.spread("b", deviation: 0, milliseconds: 300),
      ], DoctorFixture.terms(), times: [], checks: 20, using: &generator)
    // Four cells and both proofs like a, four like b, eight pairs each; most confirmations of 95 are no longer than b's.
    let seconds = 6 * 0.8 + 4 * 2.4 + 2.4
    #expect(abs(try #require(resolution?.usualSeconds) - seconds) < 1e-9)
  }

  /// Of a miss of six in a hundred 96 remain after one look and 93 after two.
  @Test func `a slow-down that is not confirmed is not found`() {
    var generator = SeededNumbers(seed: 1)
    let simulation = CheckSimulation(
      spreads: [DoctorFixture.spread(deviation: 0.08)], cells: 1, checks: 200)
    let rule = SequentialTest.Rule(
      negligible: log1p(0.1 / 3), relevant: log1p(0.1), miss: 0.06, mostPairs: 200)
    #expect(
      simulation.budgetSeconds(toFind: 0.1, with: SequentialTest(rule), using: &generator) == .infinity)
  }

  /// A slow-down of six times is found through any noise, but not that the other cell is the same.
  @Test func `an undecided cell keeps a check from ending`() {
    var generator = SeededNumbers(seed: 1)
    let simulation = CheckSimulation(
      spreads: [DoctorFixture.spread(deviation: 0.5)], cells: 2, checks: 20)
    func need(_ test: SequentialTest) -> Double {
      simulation.budgetSeconds(toFind: 5, with: test, using: &generator)
    }
    #expect(need(DoctorFixture.test(0.1)) == .infinity)
    #expect(need(DoctorFixture.test(5)) < .infinity)
  }

  /// The third that is kept for confirmations goes to what is not decided, so no more is needed than is used.
  @Test(arguments: [(1, 3.2), (4, 5.6), (8, 8.8)])
  func `the budget needed equals the time taken`(cells: Int, seconds: Double) throws {
    let margins = try resolution(deviation: 0, cells: cells, times: [seconds - 0.01, seconds + 0.01])
    #expect(margins.smallest.map(\.margin) == [nil, 0.01])
    #expect(abs(try #require(margins.usualSeconds) - seconds) < 1e-9)
  }
}

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
