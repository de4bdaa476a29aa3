import Foundation
import Results
import Statistics

@testable import Verdicts

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
        Resolution.TimedMargin(seconds: 10, margin: nil),
        Resolution.TimedMargin(seconds: 60, margin: least),
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
    ],
    isReleaseBuild: Bool = true, asksForWall: Bool = false, failures: [String] = [],
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
