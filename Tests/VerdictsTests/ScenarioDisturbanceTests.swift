import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct ScenarioDisturbanceTests {
  /// A run of which so many of 30 rounds, for all contenders alike, were disturbed.
  private func samples(disturbed: Int, scenario: String = "s") -> [Sample] {
    [("callbacks", 1.0), ("futures", 3), ("operations", 1.0001)].flatMap { contender, factor in
      SyntheticRun.cell(contender, scenario, factor: factor, rounds: 31).changing { sample in
        sample.dropped = sample.round == 0 ? .warmUp : sample.round <= disturbed ? .disturbed : nil
      }
    }
  }

  private func analysis(_ samples: [Sample]) -> RunAnalysis {
    RunAnalysis(run: "r", samples: samples, options: AnalysisOptions(reference: "callbacks"))
  }

  @Test(arguments: [(0, false), (9, false), (10, true), (26, true), (30, true)])
  func `a scenario that lost too many rounds is marked noisy`(disturbed: Int, isNoisy: Bool) throws {
    let analysis = analysis(samples(disturbed: disturbed))
    let scenario = try #require(analysis.scenarios.first)
    #expect(scenario.disturbance.rounds == 30)
    #expect(scenario.disturbance.disturbedRounds == disturbed)
    #expect(scenario.disturbance.isNoisy == isNoisy)
    #expect(
      scenario.disturbance.remark
        == (isNoisy ? "noisy: \(NumberText.percent(Double(disturbed) / 30)) of the samples dropped" : nil))
    #expect(scenario.rounds == 30 - disturbed)
    for cell in scenario.cells {
      #expect(cell.summary.disturbedRounds == disturbed)
      guard cell.summary.contender != "callbacks", disturbed < 30 else { continue }
      // What is left was not chosen by its outcome, so it counts: if it is enough.
      let isEnough = disturbed <= 24
      let verdict: Verdict = cell.summary.contender == "futures" ? .slower : .equivalent
      #expect(cell.summary.verdict == (isEnough ? verdict : .unresolved))
      #expect((cell.summary.ratioLow != nil) == isEnough)
      #expect(cell.summary.ratio != nil)
      #expect(cell.summary.unresolvedReason == (isEnough ? nil : scenario.disturbance.remark))
    }
  }

  @Test func `every report shows why a cell is unresolved`() throws {
    let analysis = analysis(samples(disturbed: 26))
    let reason = "noisy: \(NumberText.percent(26.0 / 30)) of the samples dropped"
    let text = analysis.document().text()
    #expect(text.contains("  \(reason)\n"))
    #expect(text.contains("4 rounds (+ 26 disturbed)"))
    #expect(text.contains("1 scenario noisy:"))
    #expect(analysis.document().markdown.contains("| unresolved: \(reason) |"))
    #expect(try analysis.json().contains("\"unresolved_reason\" : \"\(reason)\""))
    #expect(try CSVText.text(analysis.summaries).contains(",\(reason),26,"))
  }

  @Test func `the drop rule is in the notes`() {
    var environment = EnvironmentRecord()
    environment.notes["drop_rule"] = "a round is dropped if it rains"
    let notes = ReportNotes.leftOut(
      analysis(samples(disturbed: 1)), ReportContext(environment: environment))
    #expect(notes.contains("Rule for what is disturbed: a round is dropped if it rains."))
  }
}
