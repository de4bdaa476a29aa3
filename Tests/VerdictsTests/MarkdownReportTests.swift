import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct MarkdownReportTests {
  @Test func `every row of a table has as many cells`() {
    let tables = SyntheticRun.analysis.document().markdown.split(separator: "\n\n").filter {
      $0.hasPrefix("|")
    }
    var widths: [Int] = []
    for table in tables {
      let counts = Set(
        table.split(separator: "\n").map { $0.replacing("\\|", with: "").count { $0 == "|" } })
      #expect(counts.count == 1, "\(table)")
      widths += counts
    }
    #expect(widths == [4, 4, 4, 13, 14, 17, 15, 13])
  }

  @Test(arguments: [
    ("a|b", "a\\|b"), ("<script>", "&lt;script&gt;"), ("`x`", "\\`x\\`"), ("a\nb", "a b"),
    ("*_[]&", "\\*\\_\\[\\]&amp;"),
  ])
  func `recorded text cannot leave its cell`(text: String, expected: String) {
    #expect(Markdown.escaped(text) == expected)
  }
}
