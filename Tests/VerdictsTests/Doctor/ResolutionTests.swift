import Foundation
import Results
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

  /// A check takes eight pairs or more.
  @Test(arguments: [([8, 8], true), ([8, 7], false), ([0], false), ([], false)])
  func `fewer pairs than a check takes give no resolution`(pairs: [Int], isKnown: Bool) {
    var generator = SeededNumbers(seed: 1)
    let spreads = pairs.map { DoctorFixture.spread(deviation: 0.01, pairs: $0) }
    let resolution = Resolution(of: spreads, DoctorFixture.terms(), times: [10], checks: 5, using: &generator)
    #expect((resolution != nil) == isKnown)
  }

  /// Of a miss of six in a hundred 96 remain after one look and 93 after two.
  @Test func `a slow-down that is not confirmed is not found`() {
    var generator = SeededNumbers(seed: 1)
    let simulation = CheckSimulation(spreads: [DoctorFixture.spread(deviation: 0.08)], cells: 1, checks: 200)
    let rule = SequentialTest.Rule(
      negligible: log1p(0.1 / 3), relevant: log1p(0.1), miss: 0.06, mostPairs: 200)
    #expect(simulation.budgetSeconds(toFind: 0.1, with: SequentialTest(rule), using: &generator) == .infinity)
  }

  /// A slow-down of six times is found through any noise, but not that the other cell is the same.
  @Test func `an undecided cell keeps a check from ending`() {
    var generator = SeededNumbers(seed: 1)
    let simulation = CheckSimulation(spreads: [DoctorFixture.spread(deviation: 0.5)], cells: 2, checks: 20)
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

/// Machines whose truth is known.
enum DoctorFixture {
  /// Pairs of a tenth of a second that spread like normal values: the quantiles of a normal distribution.
  static func spread(
    _ contender: String = "a", deviation: Double, mean: Double = 0, pairs: Int = 20,
    milliseconds: Double = 100
  ) -> Spread {
    var spread = Spread(contender)
    for index in 0..<pairs {
      let logRatio = mean + deviation * normalQuantile((Double(index) + 0.5) / Double(pairs))
      spread.add(
        base: [1_000], candidate: [1_000 * exp(logRatio)], disturbed: 0, nanoseconds: milliseconds * 1e6)
    }
    return spread
  }

  /// By halving; good to nine digits.
  private static func normalQuantile(_ probability: Double) -> Double {
    var (low, high) = (-8.0, 8.0)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if 0.5 * erfc(-middle / 2.0.squareRoot()) < probability { low = middle } else { high = middle }
    }
    return low
  }

  static func test(_ margin: Double) -> SequentialTest {
    SequentialTest(SequentialTest.Rule(negligible: log1p(margin / 3), relevant: log1p(margin)))
  }

  static func terms(
    cells: Int = 8, usualMargin: Double = 0.03, margins: [Double] = [0.01, 0.02, 0.03, 0.05, 0.1, 0.2]
  ) -> Resolution.Terms {
    Resolution.Terms(
      cells: cells, usualMargin: usualMargin, budgetSeconds: 120, tests: margins.map { ($0, test($0)) })
  }

  static func resolution(_ usualSeconds: Double?, least: Double? = 0.03) -> Resolution {
    Resolution(
      usualSeconds: usualSeconds, smallestWithinBudget: least,
      smallest: [
        Resolution.TimedMargin(seconds: 10, margin: nil), Resolution.TimedMargin(seconds: 60, margin: least),
        Resolution.TimedMargin(seconds: 300, margin: least),
      ])
  }

  static func mode(
    _ mode: DoctorMode, _ usualSeconds: Double?, least: Double? = 0.03, mean: Double = 0
  ) -> DoctorReadings.Mode {
    DoctorReadings.Mode(
      mode, [spread("a", deviation: 0.01, mean: mean), spread("b", deviation: 0.02)],
      terms(usualMargin: mode.isCost ? 0.03 : 0.05), resolution(usualSeconds, least: least))
  }

  /// A machine that is fit for every check and shows nothing of itself.
  static func readings(
    _ modes: [DoctorReadings.Mode] = [
      mode(.costOnOneProcessor, 7.2), mode(.wallAtRealTime, 20), mode(.wallAsIs, nil),
    ], isReleaseBuild: Bool = true, asksForWall: Bool = false, failures: [String] = [],
    adjust: (inout MachineRecord) -> Void = { _ in }
  ) -> DoctorReadings {
    var machine = MachineRecord()
    adjust(&machine)
    return DoctorReadings {
      ($0.machine, $0.isReleaseBuild, $0.modes) = (machine, isReleaseBuild, modes)
      $0.asksForWall = asksForWall
      $0.harnessOverheadNanoseconds = 50
      $0.shortestPost = .init(scenario: "publish-instant-0", wallNanoseconds: 10_000)
      $0.failures = failures
      $0.seconds = 16.4
    }
  }
}
