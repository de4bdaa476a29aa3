import Testing

@testable import Analysis

@Suite struct MarkdownReportTests {
  @Test func theReportIsTheGoldenFile() throws {
    try Golden.expect(
      MarkdownReport.text(SyntheticRun.analysis, context: SyntheticRun.context), equals: "report.md")
  }

  @Test func everyRowOfATableHasAsManyCells() {
    let tables = MarkdownReport.text(SyntheticRun.analysis).split(separator: "\n\n").filter {
      $0.hasPrefix("|")
    }
    var widths: [Int] = []
    for table in tables {
      let counts = Set(
        table.split(separator: "\n").map { $0.replacing("\\|", with: "").count { $0 == "|" } })
      #expect(counts.count == 1, "\(table)")
      widths += counts
    }
    #expect(widths == [12, 12, 16, 14, 12])
  }

  @Test(arguments: [
    ("a|b", "a\\|b"), ("<script>", "&lt;script&gt;"), ("`x`", "\\`x\\`"), ("a\nb", "a b"),
    ("*_[]&", "\\*\\_\\[\\]&amp;"),
  ])
  func foreignTextCannotBreakOutOfItsCell(text: String, expected: String) {
    #expect(MarkdownReport.escaped(text) == expected)
  }
}
