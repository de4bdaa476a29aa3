import Foundation
import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct `Printed times, ratios and pairs` {
  /// Three contenders that come with Swift, one of a library and one variant, each with rounds of its own: as where cells leave early.
  private static func analysis(seed: UInt64) -> RunAnalysis {
    var generator = SeededNumbers(seed: seed)
    let names = ["callbacks", "gcd-groups", "swift-concurrency", "futures", "callbacks/threads"]
    var samples: [Sample] = []
    for generation in 0..<6 {
      // Processes differ, and what a cell has left it has no part in.
      let level = 1 + 4 * generator.uniform()
      for name in names {
        let leaves = generator.uniform() < 0.4 && generation > 2 && name != "callbacks"
        for round in 0..<(leaves ? 2 : 12) {
          let factor = 1 + Double(names.firstIndex(of: name)!)
          samples.append(
            Sample {
              $0.run = "r"
              ($0.generation, $0.round, $0.position) = (generation, round, 0)
              ($0.contender, $0.scenario) = (name, "publish-instant-100")
              ($0.pattern, $0.service, $0.fanOut, $0.payloadBytes) = ("publish", "instant", 100, 1)
              ($0.iterations, $0.outcome) = (10, .measured)
              $0.wallNanoseconds = Int(1e5 * level * factor * (0.5 + generator.uniform()))
              $0.cpuUserNanoseconds = Int(1e5 * level * factor * (0.5 + generator.uniform()))
              $0.cpuSystemNanoseconds = 0
            })
        }
      }
    }
    return RunAnalysis(
      run: "r", samples: samples,
      options: AnalysisOptions(reference: "callbacks") { options in
        for name in names {
          options.idioms[name] = IdiomRecord(
            name: name, shipsWith: name == "futures" ? "this package" : "toolchain")
        }
      })
  }

  @Test(arguments: 1...20) func `the quotient of two printed times is their printed ratio`(seed: UInt64)
    throws
  {
    let cells = Self.analysis(seed: seed).summaries
    let reference = try #require(cells.first { $0.contender == "callbacks" })
    for cell in cells where cell.contender != "callbacks" {
      let ratio = try #require(cell.ratio)
      let quotient = try #require(cell.medianNanoseconds) / #require(reference.medianNanoseconds)
      #expect(abs(quotient / ratio - 1) < 1e-9)
      let cpuQuotient =
        try #require(cell.cpuNanosecondsPerUpload) / #require(reference.cpuNanosecondsPerUpload)
      #expect(try abs(cpuQuotient / #require(cell.cpuRatio) - 1) < 1e-9)
      let overhead = try #require(cell.nanosecondsPerUpload) - #require(reference.nanosecondsPerUpload)
      #expect(try abs(overhead - #require(cell.overheadNanosecondsPerUpload)) < 1e-6)
    }
  }

  @Test(arguments: 1...5) func `pairs are those that come with Swift, each both ways round`(seed: UInt64)
    throws
  {
    let analysis = Self.analysis(seed: seed)
    let pairs = analysis.pairs
    let names = ["callbacks", "gcd-groups", "swift-concurrency"]
    #expect(Set(pairs.map { "\($0.contender) \($0.reference)" }).count == 6)
    #expect(pairs.allSatisfy { names.contains($0.contender) && names.contains($0.reference) })
    for pair in pairs {
      let other = try #require(
        pairs.first { $0.contender == pair.reference && $0.reference == pair.contender })
      #expect(try abs(#require(pair.ratio) * #require(other.ratio) - 1) < 1e-9)
      #expect(other.rounds == pair.rounds)
    }
    // To the reference it is the ratio of the summary.
    for summary in analysis.summaries where names.dropFirst().contains(summary.contender) {
      let pair = try #require(
        pairs.first { $0.contender == summary.contender && $0.reference == "callbacks" })
      #expect(pair.ratio == summary.ratio && pair.ratioLow == summary.ratioLow)
      #expect(pair.cpuRatio == summary.cpuRatio && pair.cpuRatioHigh == summary.cpuRatioHigh)
    }
  }
}
