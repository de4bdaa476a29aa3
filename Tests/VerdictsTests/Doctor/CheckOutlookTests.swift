import Foundation
import Results
import Statistics
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct CheckOutlookTests {
  /// Eight cells and a control take eight pairs each, and so do the slow cell, its confirmation and the other control: 88 pairs of a
  /// tenth of a second.
  @Test(arguments: [(1, 3.2), (4, 5.6), (8, 8.8)])
  func `a machine that repeats exactly takes the fewest pairs`(cells: Int, seconds: Double) throws {
    let outlook = DoctorFixture.outlook(deviation: 0, cells: cells)
    #expect(abs(try #require(outlook.seconds(toFind: 0.03)) - seconds) < 1e-9)
    #expect(outlook.smallestMargin(within: seconds - 0.01) == nil)
    #expect(outlook.smallestMargin(within: seconds + 0.01) == 0.005)
  }

  /// The time that 200 simulated checks with such pairs took until 95 of 100 were decided rightly.
  @Test(
    arguments: [
      (8, 0.01, 10.1), (8, 0.015, 12.8), (8, 0.02, 17.0), (8, 0.025, 25.6), (8, 0.03, 33.8), (2, 0.02, 11.4),
      (2, 0.03, 22.4), (16, 0.01, 16.6), (16, 0.02, 25.5), (16, 0.025, 35.0),
    ])
  func `the estimate is near what simulated checks took`(cells: Int, deviation: Double, seconds: Double)
    throws
  {
    let estimate = try #require(
      DoctorFixture.outlook(deviation: deviation, cells: cells).seconds(toFind: 0.03))
    #expect(abs(estimate / seconds - 1) < 0.15)
  }

  @Test func `an unsteady machine finds only large slow-downs`() throws {
    let (steady, unsteady) = (DoctorFixture.outlook(deviation: 0.01), DoctorFixture.outlook(deviation: 0.05))
    #expect(unsteady.seconds(toFind: 0.03) == nil)
    let (fine, coarse) = (steady.smallestMargin(within: 300), unsteady.smallestMargin(within: 300))
    #expect(try #require(fine) < (try #require(coarse)))
  }

  @Test func `more time never finds less`() throws {
    let outlook = DoctorFixture.outlook(deviation: 0.02)
    let margins = [5.0, 10, 20, 40, 80].map { outlook.smallestMargin(within: $0) ?? 1 }
    #expect(margins == margins.sorted(by: >))
  }

  @Test(arguments: [([8, 8], true), ([8, 7], false), ([0], false), ([], false)])
  func `nothing is known of fewer pairs than a check takes`(pairs: [Int], isKnown: Bool) {
    let outlook = CheckOutlook(
      measure: "", isCost: true, spreads: pairs.map { DoctorFixture.spread(deviation: 0.01, pairs: $0) },
      cells: 8, margin: 0.03, budgetSeconds: 120)
    #expect(outlook.isKnown == isKnown)
    #expect((outlook.seconds(toFind: 0.03) != nil) == isKnown)
  }
}

enum DoctorFixture {
  /// Pairs of a tenth of a second at the quantiles of a normal distribution.
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

  /// By bisection, to nine digits.
  private static func normalQuantile(_ probability: Double) -> Double {
    var (low, high) = (-8.0, 8.0)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if 0.5 * erfc(-middle / 2.0.squareRoot()) < probability { low = middle } else { high = middle }
    }
    return low
  }

  static func outlook(
    isCost: Bool = true, deviation: Double = 0.01, mean: Double = 0, cells: Int = 8,
    milliseconds: Double = 100, pairs: Int = 20
  ) -> CheckOutlook {
    CheckOutlook(
      measure: isCost ? "processor time" : "time on the clock", isCost: isCost,
      spreads: [
        spread("a", deviation: deviation, mean: mean, pairs: pairs, milliseconds: milliseconds),
        spread("b", deviation: deviation, pairs: pairs, milliseconds: milliseconds),
      ], cells: cells, margin: isCost ? 0.03 : 0.05, budgetSeconds: 120)
  }

  /// A machine that suits every check and shows nothing of itself.
  static func readings(
    _ outlooks: [CheckOutlook] = [outlook(), outlook(isCost: false)], isReleaseBuild: Bool = true,
    asksForWall: Bool = false, failures: [String] = [],
    adjust: (inout MachineRecord) -> Void = { _ in }
  ) -> DoctorReadings {
    var machine = MachineRecord()
    adjust(&machine)
    return DoctorReadings {
      ($0.machine, $0.isReleaseBuild, $0.outlooks) = (machine, isReleaseBuild, outlooks)
      $0.asksForWall = asksForWall
      $0.harnessOverheadNanoseconds = 50
      $0.failures = failures
      $0.seconds = 16.4
    }
  }
}
