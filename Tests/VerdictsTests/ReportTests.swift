import Results
import TestSupport
import Testing

@testable import Verdicts

/// What all reports have in common, as text and as Markdown.
@Suite(.ownThread) struct ReportTests {
  typealias Report = (name: String, document: @Sendable () throws -> Document)

  static let reports: [Report] = [
    ("report", { SyntheticRun.analysis.document(SyntheticRun.context) }),
    ("load", { SyntheticLoad.analysis.document(SyntheticRun.context) }),
    ("load-limit", { SyntheticLoad.search.document(SyntheticRun.context) }),
    ("growth", { GrowthTextTests.analysis.document() }),
    ("comparison", { try ComparisonTextReportTests.comparison().document }),
    ("check", { CheckReport(try ComparisonTextReportTests.comparison(), isGate: false).document }),
    ("doctor", { DoctorReport(DoctorReportTests.everything).document }),
    ("baseline", { ExternalBaselineTests.analysis(ExternalBaselineTests.samples).document() }),
  ]

  @Test(arguments: [
    ("report.txt", 0), ("report.md", 0), ("load.txt", 1), ("load-limit.txt", 2), ("growth.txt", 3),
    ("comparison.txt", 4), ("comparison.md", 5),
  ])
  func `a report is its golden file`(name: String, report: Int) throws {
    let document = try Self.reports[report].document()
    let text = name.hasSuffix(".md") ? document.markdown : document.text()
    let start = name == "growth.txt" ? try #require(text.range(of: "growth of")).lowerBound : text.startIndex
    try Golden.expect(String(text[start...]), equals: name)
  }

  @Test(arguments: reports.filter { $0.name != "check" })
  func `no line is wider than 80 columns or ends in a space`(
    name: String, document: @Sendable () throws -> Document
  ) throws {
    for line in try document().text().split(separator: "\n") {
      #expect(line.count <= 80 && line.last != " ", "\(line)")
    }
  }

  @Test(arguments: [0, 2, 6]) func `colour changes nothing but colour`(report: Int) throws {
    let document = try Self.reports[report].document()
    let coloured = document.text(usesColour: true)
    #expect(coloured.contains("\u{1B}[") && !document.text().contains("\u{1B}"))
    #expect(coloured.replacing(/\u{1B}\[[0-9]+m/, with: "") == document.text())
  }
}

@Suite(.ownThread) struct HeadlineTests {
  @Test(
    arguments: [
      (false, true, []), (true, true, ["this run was interrupted; not all that was asked for is in it"]),
      (
        nil, false,
        ["this run has no end: it was killed, or still goes on; not all that was asked for is in it"]
      ),
    ] as [(Bool?, Bool, [String])])
  func `a run that was cut off says so`(isInterrupted: Bool?, hasEnd: Bool, said: [String]) {
    let environment = EnvironmentRecord {
      $0.isInterrupted = isInterrupted
      $0.finishedAt = hasEnd ? $0.startedAt : nil
    }
    #expect(ReportNotes.warnings(ReportContext(environment: environment)) == said)
  }

  @Test func `a run of one contender compares nothing`() {
    let analysis = RunAnalysis(
      run: "r", samples: SyntheticRun.cell("futures", factor: 1),
      options: AnalysisOptions(reference: "callbacks"))
    #expect(analysis.headline == ["1 contender, 1 scenario.", "Nothing to compare with callbacks."])
  }
}

@Suite(.ownThread) struct IntervalBarTests {
  @Test func `no bar is longer than its room`() {
    for low in stride(from: 0.0, through: 12, by: 0.3) {
      for width in stride(from: 0.0, through: 12, by: 0.3) {
        let bar = IntervalBar.text(low, interval: low...(low + width), most: 10, width: 10)
        #expect((1...10).contains(bar.count), "\(low) \(width)")
      }
    }
  }
}

@Suite(.ownThread) struct MarkdownReportTests {
  @Test(arguments: [
    ("a|b", "a\\|b"), ("<script>", "&lt;script&gt;"), ("`x`", "\\`x\\`"), ("a\nb", "a b"),
    ("*_[]&", "\\*\\_\\[\\]&amp;"),
  ])
  func `recorded text cannot leave its cell`(text: String, expected: String) {
    #expect(Markdown.escaped(text) == expected)
  }
}

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
}

/// The files that reports are compared with.
enum Golden {
  static func expect(
    _ text: String, equals name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let file = try GoldenFile(name, for: text, beside: #filePath)
    #expect(text == file.expected, "\(file.difference)", sourceLocation: sourceLocation)
  }
}
