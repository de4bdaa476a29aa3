import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct TextReportTests {
  @Test func `a name too long for its column is not cut short`() {
    let names = ["swift-concurrency/unsafe-continuation", "swift-concurrency/unsafe-pointers"]
    let samples = names.flatMap { SyntheticRun.cell($0, factor: 1) }
    let text = RunAnalysis(run: "long", samples: samples, options: AnalysisOptions(reference: names[0]))
      .document().text()
    let lines = text.split(separator: "\n")
    for name in names { #expect(lines.contains("  \(name)")) }
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test func `a quantity that was not recorded has no column`() {
    // As read from a file of an earlier version.
    let samples = SyntheticRun.samples.changing { sample in
      sample.failureToStopNanoseconds = nil
      sample.heartbeatWorstNanoseconds = nil
    }
    let analysis = RunAnalysis(run: "old", samples: samples, options: AnalysisOptions(reference: "callbacks"))
    let text = Document(analysis.summary.tables).text()
    for word in ["reported", "wasted", "heartbeat", "threads"] { #expect(!text.contains(word)) }
  }

  @Test(arguments: [
    ("short", ["short"]),
    (String(repeating: "x", count: 85), [String(repeating: "x", count: 80), "  xxxxx"]),
    (
      String(repeating: "word ", count: 17) + "end",
      [String(repeating: "word ", count: 15) + "word", "  word end"]
    ),
  ])
  func `text is wrapped at spaces`(text: String, expected: [String]) {
    #expect(TextWrap.lines(text, indent: 2) == expected)
  }

  @Test(arguments: ["3.0 %", "± 1.2 %", "120 s", "16.3 µs", "4.77 KiB.", "1 GiB,"])
  func `a number keeps its unit on its line`(number: String) {
    for length in 60...80 {
      let text = String(repeating: "x", count: length) + " " + number + " more"
      let lines = TextWrap.lines(text)
      #expect(lines.contains { $0.contains(number) }, "\(lines)")
      #expect(lines.allSatisfy { $0.count <= 80 })
    }
  }
}
