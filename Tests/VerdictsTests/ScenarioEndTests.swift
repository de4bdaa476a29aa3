import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct ScenarioEndTests {
  @Test func `measured samples without a post mean that none was intended`() {
    let without = SyntheticRun.cell("a", factor: 1, posts: 0)
    #expect(ScenarioEnd.inferred(from: without) == .noPost)
    #expect(ScenarioEnd.inferred(from: without + SyntheticRun.cell("b", factor: 1)) == .post)
    // A contender that fails creates no post either, but says nothing about the scenario.
    #expect(
      ScenarioEnd.inferred(from: SyntheticRun.cell("a", factor: 1, posts: 0, outcome: .failed)) == .post)
  }
}
