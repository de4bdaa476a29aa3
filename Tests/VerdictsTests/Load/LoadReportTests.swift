import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct LoadReportTests {
  private let context = SyntheticRun.context

  @Test func theReportsAreTheGoldenFiles() throws {
    try Golden.expect(SyntheticLoad.analysis.document(context).text(), equals: "load.txt")
    try Golden.expect(SyntheticLoad.search.document(context).text(), equals: "load-limit.txt")
    try Golden.expect(SyntheticLoad.search.document(context).markdown, equals: "load.md")
    try Golden.expect(try SyntheticLoad.search.json(context), equals: "load.json")
  }

  @Test func noLineIsWiderThanATerminalAndNoneEndsInASpace() {
    for line in SyntheticLoad.search.document(context).text().split(separator: "\n") {
      #expect(line.count <= 80, "\(line)")
      #expect(line.last != " ", "\(line)")
    }
  }

  @Test func aSearchShowsEachContenderAtTheRateThatItHolds() {
    let tables = SyntheticLoad.search.rateTables
    #expect(tables.map { $0.rows.map(\.cells[0].text) } == [["callbacks"]])
    // Its latencies are those of 1000/s.
    #expect(tables[0].rows[0].cells[1].text == "4.52 ms")
  }

  @Test func colourTakesNoColumns() {
    let coloured = SyntheticLoad.search.document(context).text(usesColour: true)
    #expect(coloured.contains("\u{1B}["))
    #expect(
      coloured.replacing(#/\u{1B}\[[0-9]*m/#, with: "")
        == SyntheticLoad.search.document(context).text())
  }
}
