import Verdicts
import Foundation
import Results

/// A small run with known factors between contenders, and rounds that share a disturbance.
enum SyntheticRun {
  static let rounds = 14

  /// `factor` × 1 µs per upload, with a jitter of ±2 % of the sample and ±30 % of its round.
  static func cell(
    _ contender: String, _ scenario: String = "publish-100", factor: Double, rounds: Int = rounds,
    generations: Int = 1, fanOut: Int = 100, posts: Int = 1, idealNanoseconds: Int? = nil,
    outcome: Outcome = .measured, reason: String? = nil
  ) -> [Sample] {
    (0..<generations).flatMap { generation in
      (0..<rounds).map { round in
        let shared = 1 + 0.3 * (2 * unit("\(scenario) \(generation) \(round)") - 1)
        let own = 1 + 0.02 * (2 * unit("\(contender) \(scenario) \(generation) \(round)") - 1)
        let cold = round == 0 ? 1.5 : 1
        let wall = factor * 1_000 * Double(max(fanOut, 1)) * shared * own * cold
        return Sample {
          ($0.run, $0.generation, $0.round, $0.position) = ("golden", generation, round, 0)
          ($0.contender, $0.scenario, $0.pattern) = (contender, scenario, "publish")
          $0.service = idealNanoseconds == nil ? "instant" : "latency"
          ($0.fanOut, $0.payloadBytes, $0.iterations, $0.outcome) = (fanOut, 65_536, 10, outcome)
          $0.reason = reason
          $0.wallNanoseconds = outcome == .measured ? Int(wall) : nil
          $0.cpuUserNanoseconds = Int(wall * 0.8)
          $0.cpuSystemNanoseconds = Int(wall * 0.1)
          $0.voluntarySwitches = 2_000
          $0.involuntarySwitches = 500
          $0.allocations = 1_000 * Int(factor * 2)
          $0.idealNanoseconds = idealNanoseconds
          $0.posts = posts * 10
          $0.dropped = round == 0 ? .warmUp : round == 5 ? .disturbed : nil
        }
      }
    }
  }

  /// Adds to samples how they stopped, by a factor over 1 µs, and how many uploads started too late.
  static func stopped(_ samples: [Sample], factor: Double, late: Int = 0) -> [Sample] {
    samples.changing { sample in
      sample.failureToCompletionNanoseconds = Int(factor * 1_000)
      sample.failureToStopNanoseconds = Int(factor * 2_000)
      sample.startsAfterFailure = late * sample.iterations
      sample.wastedBytes = late * 65_536 * sample.iterations
    }
  }

  /// Adds to samples the effects of blocked calls.
  static func blocked(_ samples: [Sample], threads: Int, heartbeatWorstNanoseconds: Int?) -> [Sample] {
    samples.changing { sample in
      sample.peakThreads = threads
      sample.heartbeatWorstNanoseconds = heartbeatWorstNanoseconds
    }
  }

  /// A number from 0 to 1 that depends on the text alone (FNV-1a and a finaliser).
  private static func unit(_ text: String) -> Double {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    return Double((hash ^ (hash >> 33)) >> 11) * 0x1p-53
  }

  /// For the golden files: ranks and a tie, a failing and a wrong contender, a missing cell, a scenario that ends in an error, a
  /// cancelled one, one that blocks, and one with too few rounds.
  static let samples: [Sample] =
    cell("callbacks", factor: 1) + cell("coroutines", factor: 1.5) + cell("gcd-groups", factor: 2)
    + cell("futures", factor: 2.003) + cell("swift-concurrency", factor: 40)
    + cell(
      "operations", factor: 1, outcome: .wrong,
      reason:
        "media 3: got \"receipt 4\", expected \"receipt 3\" | *and* <more> of the same in media 4, 5 and 6")
    + cell("callbacks", "fail-100", factor: 100, posts: 0, idealNanoseconds: 6_000_000)
    + cell("coroutines", "fail-100", factor: 90, posts: 0, idealNanoseconds: 6_000_000)
    + cell("gcd-groups", "fail-100", factor: 300, posts: 0, idealNanoseconds: 6_000_000)
    + cell("futures", "fail-100", factor: 100, outcome: .timedOut, reason: "no answer within 10 s")
    + stopped(cell("callbacks", "cancel-100", factor: 10, posts: 0), factor: 30)
    + stopped(cell("coroutines", "cancel-100", factor: 10.02, posts: 0), factor: 50)
    + stopped(cell("gcd-groups", "cancel-100", factor: 30, posts: 0), factor: 700, late: 17)
    + cell("futures", "cancel-100", factor: 20, posts: 0)
    + blocked(cell("callbacks", "block-64", factor: 5), threads: 66, heartbeatWorstNanoseconds: 12_000)
    + blocked(cell("coroutines", "block-64", factor: 9), threads: 4, heartbeatWorstNanoseconds: 31_500_000)
    + blocked(cell("gcd-groups", "block-64", factor: 9), threads: 68, heartbeatWorstNanoseconds: nil)
    + cell("callbacks", "empty", factor: 0.3, rounds: 3, fanOut: 0)
    + cell("coroutines", "empty", factor: 0.2, rounds: 3, fanOut: 0)
    + cell("gcd-groups", "empty", factor: 5_000_000, rounds: 3, fanOut: 0)
    + cell("futures", "empty", factor: 0.5, rounds: 1, fanOut: 0)

  static let analysis = RunAnalysis(
    run: "golden", samples: samples,
    options: AnalysisOptions(reference: "callbacks") {
      $0.ends = ["fail-100": .error, "cancel-100": .cancellation]
      $0.sourceLines = ["callbacks": ["publish": 61], "coroutines": ["publish": 24]]
    })
  /// An analysis with default options.
  static func analysed(_ samples: [Sample], reference: String = "callbacks") -> RunAnalysis {
    RunAnalysis(run: "r", samples: samples, options: AnalysisOptions(reference: reference))
  }
  static let context = ReportContext(
    environment: EnvironmentRecord {
      $0.run = "golden"
      $0.commandLine = ["bench", "run", "--seed", "7"]
      $0.startedAt = Date(timeIntervalSince1970: 1_700_000_000)
      $0.finishedAt = $0.startedAt
      ($0.seed, $0.reference, $0.generations, $0.buildConfiguration) = (7, "callbacks", 1, "debug")
      ($0.toolchain, $0.commit, $0.isDirty) = ("Swift 6.3.1", "0123456789abcdef", true)
      ($0.operatingSystem, $0.cpuModel, $0.coreCount) = ("Linux", "Example CPU", 2)
      $0.warnings = ["the machine's steal counter cannot be read"]
      $0.notes = ["drop_rule": "a round is dropped if steal exceeded 1 %"]
    }, nextSteps: ["bench run --scenario publish-100 --budget 60s", "plot.py results/golden"])
}

extension [Sample] {
  func changing(_ change: (inout Sample) -> Void) -> [Sample] {
    var samples = self
    for index in indices { change(&samples[index]) }
    return samples
  }
}
