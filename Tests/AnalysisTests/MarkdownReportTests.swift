import Testing

@testable import Analysis

@Suite struct MarkdownReportTests {
  @Test func theReportIsTheGoldenFile() throws {
    try Golden.expect(
      MarkdownReport.text(SyntheticRun.analysis, context: SyntheticRun.context), equals: "report.md")
  }

  @Test func everyRowOfATableHasAsManyCells() {
    let rows = MarkdownReport.text(SyntheticRun.analysis).split(separator: "\n").filter { $0.hasPrefix("|") }
    #expect(!rows.isEmpty)
    for row in rows { #expect(row.replacing("\\|", with: "").count { $0 == "|" } == 12) }
  }

  @Test(arguments: [
    ("a|b", "a\\|b"), ("<script>", "&lt;script&gt;"), ("`x`", "\\`x\\`"), ("a\nb", "a b"),
    ("*_[]&", "\\*\\_\\[\\]&amp;"),
  ])
  func foreignTextCannotBreakOutOfItsCell(text: String, expected: String) {
    #expect(MarkdownReport.escaped(text) == expected)
  }
}
