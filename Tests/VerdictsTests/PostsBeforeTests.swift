import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct PostsBeforeTests {
  private func analysis(_ before: [String: [Int]]) -> RunAnalysis {
    let samples = before.keys.sorted().flatMap { contender in
      SyntheticRun.cell(contender, factor: contender == "floor" ? 1 : 2).enumerated().map { index, sample in
        var sample = sample
        let values = before[contender]!
        sample.postsBefore = values.isEmpty ? nil : values[index % values.count]
        return sample
      }
    }
    return RunAnalysis(run: "r", samples: samples, options: AnalysisOptions(reference: "floor"))
  }

  @Test func `earlier posts are a median beside the post's time`() throws {
    let analysis = analysis(["floor": [9_000], "a": [1, 2, 900]])
    #expect(analysis.summaries.map(\.postsBefore) == [9_000, 2])
    let scenario = try #require(analysis.scenarios.first)
    #expect(scenario.timeTitle == "time/post")
    #expect(scenario.timeNanoseconds(scenario.cells[0]) == scenario.cells[0].summary.medianNanoseconds)
    let text = analysis.document().text()
    #expect(text.contains("before") && text.contains("9000"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(analysis.document().markdown.contains("| before |"))
  }

  @Test func `without background posts the report has no such column`() {
    let analysis = analysis(["floor": [], "a": []])
    #expect(!analysis.document().text().contains("low priority"))
    #expect(!analysis.document().markdown.contains("before |"))
    #expect(analysis.scenarios.first?.timeTitle == "time/upload")
  }
}
