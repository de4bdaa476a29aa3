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
