import Verdicts
import Foundation
import Results
import TestSupport

/// Series whose growth is known: a time of a post for every fan-out, with jitter of the process and of the sample.
enum SyntheticGrowth {
  static let fanOuts = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]

  static func cells(
    _ contender: String, series: String = "publish-instant-N", fanOuts: [Int] = fanOuts, generations: Int = 6,
    rounds: Int = 4, jitter: Double = 0.01, seed: UInt64 = 1, nanoseconds: (Double) -> Double
  ) -> [Sample] {
    fanOuts.flatMap { fanOut in
      (0..<generations).flatMap { generation -> [Sample] in
        var process = SeededNumbers(seed: hash(contender, series, "\(seed)", "\(generation)"))
        let level = process.normal()
        return (0..<rounds).map { round in
          var numbers = SeededNumbers(
            seed: hash(contender, series, "\(seed)", "\(generation)", "\(fanOut)", "\(round)"))
          let wall = nanoseconds(Double(fanOut)) * exp(jitter * (level + numbers.normal()))
          return Sample {
            ($0.run, $0.generation, $0.round, $0.position) = ("growth", generation, round, 0)
            $0.contender = contender
            $0.scenario = series.replacing("N", with: "\(fanOut)")
            ($0.pattern, $0.service, $0.fanOut, $0.payloadBytes) = ("publish", "instant", fanOut, 65_536)
            ($0.iterations, $0.outcome, $0.wallNanoseconds) = (1, .measured, max(1, Int(wall)))
            $0.posts = 1
            $0.inFlightBytes = fanOut >= 1_000 ? fanOut * 200 : nil
          }
        }
      }
    }
  }

  /// What was tried and did not come to an end.
  static func stopped(
    _ contender: String, series: String = "publish-instant-N", fanOut: Int, outcome: Outcome = .timedOut,
    reason: String = "no completion within 60 s"
  ) -> [Sample] {
    [
      Sample {
        ($0.run, $0.generation, $0.round, $0.position) = ("growth", 0, 0, 0)
        $0.contender = contender
        $0.scenario = series.replacing("N", with: "\(fanOut)")
        ($0.pattern, $0.service, $0.fanOut, $0.payloadBytes) = ("publish", "instant", fanOut, 65_536)
        ($0.iterations, $0.outcome, $0.reason) = (1, outcome, reason)
      }
    ]
  }

  static func analysis(_ samples: [Sample]) -> RunAnalysis {
    RunAnalysis(
      run: "growth", samples: samples,
      options: AnalysisOptions(reference: "callbacks") {
        $0.rankResamples = 400
        $0.orders = ["forward", "reverse", "shuffled"]
      })
  }

  private static func hash(_ texts: String...) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in texts.joined(separator: " ").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}
