import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct TextReportTests {
  @Test func theReportIsTheGoldenFile() throws {
    try Golden.expect(
      SyntheticRun.analysis.document(SyntheticRun.context).text(), equals: "report.txt")
  }

  @Test func noLineIsWiderThanATerminalAndNoneEndsInASpace() {
    for line in SyntheticRun.analysis.document(SyntheticRun.context).text().split(separator: "\n") {
      #expect(line.count <= 80)
      #expect(line.last != " ", "\(line)")
    }
  }

  @Test func aNameThatIsTooLongForItsColumnIsNotCutShort() {
    let names = ["swift-concurrency/unsafe-continuation", "swift-concurrency/unsafe-pointers"]
    let samples = names.flatMap { SyntheticRun.cell($0, factor: 1) }
    let text = RunAnalysis(run: "long", samples: samples, options: AnalysisOptions(reference: names[0]))
      .document().text()
    let lines = text.split(separator: "\n")
    for name in names { #expect(lines.contains("  \(name)")) }
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test func whatARunDidNotRecordHasNoColumn() {
    // As read from a file of an earlier version.
    let samples = SyntheticRun.samples.map { sample in
      var sample = sample
      sample.failureToStopNanoseconds = nil
      sample.heartbeatWorstNanoseconds = nil
      return sample
    }
    let analysis = RunAnalysis(run: "old", samples: samples, options: AnalysisOptions(reference: "callbacks"))
    let text = Document(analysis.summary.tables).text()
    for word in ["reported", "wasted", "heartbeat", "threads"] { #expect(!text.contains(word)) }
  }

  @Test func colourChangesNothingButColour() {
    let plain = SyntheticRun.analysis.document(SyntheticRun.context).text()
    let coloured = SyntheticRun.analysis.document(SyntheticRun.context).text(usesColour: true)
    #expect(!plain.contains("\u{1B}"))
    #expect(coloured.contains("\u{1B}[31m"))
    #expect(coloured.replacing(/\u{1B}\[\d+m/, with: "") == plain)
  }

  @Test(arguments: [
    ("short", ["short"]),
    (String(repeating: "x", count: 85), [String(repeating: "x", count: 80), "  xxxxx"]),
    (
      String(repeating: "word ", count: 17) + "end",
      [String(repeating: "word ", count: 15) + "word", "  word end"]
    ),
  ])
  func textIsWrappedAtSpaces(text: String, expected: [String]) {
    #expect(TextWrap.lines(text, indent: 2) == expected)
  }

  @Test(arguments: ["3.0 %", "± 1.2 %", "120 s", "16.3 µs", "4.77 KiB.", "1 GiB,"])
  func aNumberKeepsItsUnit(number: String) {
    for length in 60...80 {
      let text = String(repeating: "x", count: length) + " " + number + " more"
      let lines = TextWrap.lines(text)
      #expect(lines.contains { $0.contains(number) }, "\(lines)")
      #expect(lines.allSatisfy { $0.count <= 80 })
    }
  }
}
