import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct RankResamplingTests {
  private func probabilities(_ samples: [Sample]) -> [String: [Double]] {
    let analysis = RunAnalysis(
      run: "r", samples: samples,
      options: AnalysisOptions(reference: "callbacks") { $0.rankResamples = 400 })
    return Dictionary(
      uniqueKeysWithValues: analysis.summaries.map { ($0.contender, $0.rankProbabilities?.values ?? []) })
  }

  private let samples =
    SyntheticRun.cell("callbacks", factor: 1, generations: 3)
    + SyntheticRun.cell("futures", factor: 1.001, generations: 3)
    + SyntheticRun.cell("operations", factor: 3, generations: 3)

  @Test func `a certain last place has probability 1`() throws {
    let probabilities = probabilities(samples)
    #expect(probabilities["operations"] == [0, 0, 1])
    let first = try #require(probabilities["callbacks"]?[0])
    #expect(first > 0.3 && first < 1)
  }

  @Test func `generations are resampled before rounds`() throws {
    // Faster in two of three generations with every round of them: 20 of 27, not nearly certain.
    let other = SyntheticRun.cell("callbacks", factor: 1, rounds: 40, generations: 3).changing { sample in
      sample.contender = "futures"
      sample.wallNanoseconds = sample.wallNanoseconds.map { sample.generation == 2 ? $0 / 2 : $0 * 2 }
    }
    let first = try #require(
      probabilities(SyntheticRun.cell("callbacks", factor: 1, rounds: 40, generations: 3) + other)[
        "callbacks"]?[0])
    #expect(abs(first - 20 / 27) < 0.07)
  }

  @Test(arguments: [(5, false), (6, true)])
  func `few rounds are not resampled`(rounds: Int, isEnough: Bool) {
    // The first round is warm-up, the fifth after it disturbed.
    let samples = ["callbacks", "futures"].flatMap {
      SyntheticRun.cell($0, factor: 1, rounds: rounds + 2)
    }
    #expect(probabilities(samples)["callbacks"]?.isEmpty == !isEnough)
  }

  @Test func `an unranked contender takes no probability`() {
    var samples = samples
    for index in samples.indices where samples[index].contender == "operations" {
      samples[index].outcome = .wrong
    }
    let probabilities = probabilities(samples)
    #expect(probabilities["operations"] == [])
    #expect(probabilities["futures"]?.count == 2)
  }
}
