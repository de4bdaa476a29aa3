import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct HeadlineTests {
  @Test func theSentencesCountTheRows() {
    #expect(
      SyntheticRun.analysis.headline == [
        "6 contenders, 5 scenarios, 248 samples.",
        "Against callbacks: 1 faster, 9 slower, 1 equivalent, 2 unresolved.",
        "2 cells failed and not ranked.", "9 cells not measured at all.",
      ])
  }

  @Test func aRunOfOneContenderComparesNothing() {
    let analysis = RunAnalysis(
      run: "r", samples: SyntheticRun.cell("futures", factor: 1),
      options: AnalysisOptions(reference: "callbacks"))
    #expect(
      analysis.headline == [
        "1 contender, 1 scenario, 14 samples.", "Nothing to compare with callbacks.",
      ])
  }
}
