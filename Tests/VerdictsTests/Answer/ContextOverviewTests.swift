import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct ContextOverviewTests {
  /// One scenario in two contexts, and one in none; `gcd-groups` cannot do one of them.
  private static func analysis(withPlain: Bool) -> RunAnalysis {
    func cell(_ contender: String, _ scenario: String, _ factor: Double) -> [Sample] {
      SyntheticRun.cell(contender, scenario, factor: factor, rounds: 40)
    }
    let inContexts = [
      cell("callbacks", "publish-100-on-inline", 1), cell("futures", "publish-100-on-inline", 2),
      cell("callbacks", "publish-100-on-queue", 4), cell("futures", "publish-100-on-queue", 6),
      cell("gcd-groups", "publish-100-on-queue", 5),
    ].flatMap(\.self)
    let plain =
      ["publish-100", "publish-1000"].flatMap { cell("callbacks", $0, 1) + cell("gcd-groups", $0, 5) }
    var options = AnalysisOptions(reference: "callbacks") {
      $0.contexts = ["publish-100-on-inline": "inline", "publish-100-on-queue": "queue"]
    }
    options.idioms = AnswerTests.idioms
    return RunAnalysis(run: "r", samples: inContexts + (withPlain ? plain : []), options: options)
  }

  @Test func `each context is compared with callbacks there`() throws {
    let text = Self.analysis(withPlain: false).screen().text()
    try Golden.expect(text, equals: "contexts.txt")
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func `the least ratio comes first however it is written`() throws {
    let samples = ["inline", "queue"].flatMap { context in
      [("callbacks", 1.0), ("futures", 2), ("operations", 12)].flatMap {
        SyntheticRun.cell($0, "publish-100-on-\(context)", factor: $1, rounds: 40)
      }
    }
    let options = AnalysisOptions(reference: "callbacks") {
      $0.contexts = ["publish-100-on-inline": "inline", "publish-100-on-queue": "queue"]
    }
    let text = RunAnalysis(run: "r", samples: samples, options: options).screen().text()
    #expect(text.replacing("\n", with: " ").contains(#/2\.\d+ to 1\d\.\d inline/#), "\(text)")
  }

  @Test func `the answer leaves out what has a context`() throws {
    let answer = try #require(Answer(Self.analysis(withPlain: true)))
    #expect(answer.columns.map(\.scenarios) == [2])
    #expect(answer.rows.map(\.contender) == ["callbacks", "gcd-groups"])
  }

  @Test func `a run without contexts has no overview`() {
    let samples = SyntheticRun.cell("callbacks", "publish-100", factor: 1)
    #expect(
      ContextOverview(
        RunAnalysis(run: "r", samples: samples, options: AnalysisOptions(reference: "callbacks"))) == nil)
  }
}
