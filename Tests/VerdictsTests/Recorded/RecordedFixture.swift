import Foundation
import Results

@testable import Verdicts

/// Runs whose truth is known.
enum RecordedFixture {
  /// A contender's time as a ratio to the reference's, and how much it differs from generation to generation.
  struct Truth {
    var contender: String
    var ratio: Double
    var spread = 0.01
    var allocations: Int?
    var outcome = Outcome.measured
  }

  static let contenders = ["a", "b", "c"].map { Truth(contender: $0, ratio: 2, allocations: 100) }

  /// - Parameters:
  ///   - speed: of the machine and everything on it, the reference included.
  ///   - seed: what the differences between generations are drawn from.
  static func samples(
    _ contenders: [Truth] = contenders, scenarios: [String] = ["s-1", "s-2", "s-3"], speed: Double = 1,
    generations: Int = 6, seed: UInt64 = 1, disturbed: Int = 0
  ) -> [Sample] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    func unit() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) * 0x1p-52 - 1
    }
    let all = [Truth(contender: "floor", ratio: 1, spread: 0, allocations: 10)] + contenders
    return scenarios.flatMap { scenario in
      (0..<generations).flatMap { generation in
        all.flatMap { truth in
          let process = exp(truth.spread * unit() * 1.7)
          return (0..<5).map { round in
            var sample = Sample {
              ($0.run, $0.generation, $0.round, $0.position) = ("r", generation, round, 0)
              ($0.contender, $0.scenario, $0.pattern) = (truth.contender, scenario, "publish")
              ($0.service, $0.fanOut, $0.payloadBytes, $0.iterations) = ("instant", 100, 65_536, 10)
              $0.outcome = truth.outcome
              $0.reason = truth.outcome == .measured ? nil : "media 3: nothing came"
              $0.wallNanoseconds =
                truth.outcome == .measured
                ? Int(1e6 * truth.ratio * process / speed) : nil
            }
            sample.allocations = generation < 2 ? truth.allocations.map { $0 * sample.iterations } : nil
            sample.dropped = round < disturbed ? .disturbed : nil
            return sample
          }
        }
      }
    }
  }

  static func environment(_ change: (inout EnvironmentRecord) -> Void = { _ in }) -> EnvironmentRecord {
    var record = EnvironmentRecord {
      $0.run = "r"
      $0.commandLine = ["bench", "run"]
      $0.startedAt = Date(timeIntervalSince1970: 1_700_000_000)
      ($0.finishedAt, $0.seed, $0.reference) = (Date(timeIntervalSince1970: 1_700_000_060), 1, "floor")
      ($0.generations, $0.buildConfiguration, $0.toolchain) = (6, "release", "Swift 6.3.1")
      ($0.commit, $0.isDirty, $0.operatingSystem, $0.kernel) = ("0123456789abcdef", false, "Linux", "6.1")
      ($0.architecture, $0.cpuModel, $0.coreCount) = ("x86_64", "Example CPU", 2)
    }
    change(&record)
    return record
  }

  static func run(
    _ name: String, _ samples: [Sample] = samples(), environment: EnvironmentRecord = environment()
  ) -> RecordedRun {
    RecordedRun(name: name, environment: environment, samples: samples)
  }

  /// Of a run against the one whose truth is ``contenders``.
  static func comparison(_ candidate: RecordedRun, reference: String? = nil) throws(RecordedProblem)
    -> RecordedComparison
  { try comparison(run("base"), candidate, reference: reference) }

  static func comparison(_ base: RecordedRun, _ candidate: RecordedRun, reference: String? = nil)
    throws(RecordedProblem) -> RecordedComparison
  {
    try RecordedComparison(
      base: base, candidate: candidate, RecordedComparison.Terms(margin: 0.1, reference: reference))
  }
}
