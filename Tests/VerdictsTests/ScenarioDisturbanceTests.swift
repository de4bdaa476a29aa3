import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct ScenarioDisturbanceTests {
  /// A run of which so many of 30 rounds, for all contenders alike, were disturbed.
  private func samples(disturbed: Int, scenario: String = "s") -> [Sample] {
    [("callbacks", 1.0), ("futures", 3), ("operations", 1.0001)].flatMap { contender, factor in
      SyntheticRun.cell(contender, scenario, factor: factor, rounds: 31).map { sample in
        var sample = sample
        sample.dropped = sample.round == 0 ? .warmUp : sample.round <= disturbed ? .disturbed : nil
        return sample
      }
    }
  }

  private func analysis(_ samples: [Sample]) -> RunAnalysis {
    RunAnalysis(run: "r", samples: samples, options: AnalysisOptions(reference: "callbacks"))
  }

  @Test(arguments: [(0, false), (9, false), (10, true), (30, true)])
  func aScenarioThatLostMoreThanItsShareOfRoundsDecidesNothing(disturbed: Int, isTooDisturbed: Bool) throws {
    let analysis = analysis(samples(disturbed: disturbed))
    let scenario = try #require(analysis.scenarios.first)
    #expect(scenario.disturbance.rounds == 30)
    #expect(scenario.disturbance.disturbedRounds == disturbed)
    #expect(scenario.disturbance.isTooDisturbed == isTooDisturbed)
    #expect(scenario.rounds == 30 - disturbed)
    for cell in scenario.cells {
      #expect(cell.summary.disturbedRounds == disturbed)
      guard cell.summary.contender != "callbacks" else { continue }
      let reason = isTooDisturbed ? "too disturbed: \(disturbed) of 30 rounds dropped" : nil
      #expect(cell.summary.unresolvedReason == reason)
      if isTooDisturbed {
        #expect(cell.summary.verdict == .unresolved)
        #expect(cell.summary.ratioLow == nil && cell.summary.roundsToResolve == nil)
        #expect(cell.summary.rankProbabilities == nil)
        #expect(cell.summary.rankGroup == (disturbed == 30 ? nil : 1))
        // What was seen is still shown.
        #expect((cell.summary.ratio != nil) == (disturbed < 30))
      } else {
        #expect(cell.summary.verdict == (cell.summary.contender == "futures" ? .slower : .equivalent))
      }
    }
  }

  @Test func everyReportSaysSo() throws {
    let analysis = analysis(samples(disturbed: 14))
    let reason = "too disturbed: 14 of 30 rounds dropped"
    let text = analysis.document().text()
    #expect(text.contains("  \(reason), so nothing is decided here\n"))
    #expect(text.contains("16 rounds (+ 14 disturbed)"))
    #expect(text.contains("1 scenario inconclusive: too noisy."))
    #expect(analysis.document().markdown.contains("| unresolved: \(reason) |"))
    #expect(try analysis.json().contains("\"unresolved_reason\" : \"\(reason)\""))
    #expect(try CSVText.text(analysis.summaries).contains(",unresolved,,,\(reason),14,"))
  }

  @Test func theRuleStandsBesideTheCounts() {
    let rule = "a scenario of which more than 30 % of the rounds were dropped decides nothing"
    #expect(AnalysisOptions.disturbanceRule() == rule)
    let notes = ReportNotes.leftOut(analysis(samples(disturbed: 1)), ReportContext())
    #expect(notes.contains("Rule for disturbed rounds: \(rule)."))
  }

  @Test func withoutAReferenceADisturbedScenarioIsNotRankedEither() throws {
    let samples = samples(disturbed: 14).filter { $0.contender != "callbacks" }
    #expect(analysis(samples).summaries.map(\.rankGroup) == [1, 1])
    #expect(analysis(samples).summaries.allSatisfy { $0.unresolvedReason != nil })
  }

  @Test func aDisturbedScenarioMakesNoOtherStricter() throws {
    let alone = analysis(samples(disturbed: 0, scenario: "quiet"))
    let beside = analysis(samples(disturbed: 0, scenario: "quiet") + samples(disturbed: 20))
    #expect(alone.scenarios[0] == beside.scenarios[0])
    #expect(alone.fewestPairs == beside.fewestPairs)
  }
}
