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

  @Test func `the answer leaves out what has a context`() throws {
    let answer = try #require(Answer(Self.analysis(withPlain: true)))
    #expect(answer.columns.map(\.scenarios) == [2])
    #expect(answer.rows.map(\.contender) == ["callbacks", "gcd-groups"])
  }
}
