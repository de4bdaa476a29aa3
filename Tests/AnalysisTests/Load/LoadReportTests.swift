import Results
import Testing

@testable import Analysis

@Suite struct LoadReportTests {
  private let context = SyntheticRun.context

  @Test func theReportsAreTheGoldenFiles() throws {
    try Golden.expect(LoadTextReport.text(SyntheticLoad.analysis, context: context), equals: "load.txt")
    try Golden.expect(LoadTextReport.text(SyntheticLoad.search, context: context), equals: "load-limit.txt")
    try Golden.expect(LoadMarkdownReport.text(SyntheticLoad.search, context: context), equals: "load.md")
    try Golden.expect(try LoadJSONReport.text(SyntheticLoad.search, context: context), equals: "load.json")
  }

  @Test func noLineIsWiderThanATerminalAndNoneEndsInASpace() {
    for line in LoadTextReport.text(SyntheticLoad.search, context: context).split(separator: "\n") {
      #expect(line.count <= 80, "\(line)")
      #expect(line.last != " ", "\(line)")
    }
  }

  @Test func aSearchShowsEachContenderAtTheRateThatItHolds() {
    let tables = LoadTable.all(of: SyntheticLoad.search)
    #expect(tables.map { $0.rows.map(\.subject.contender) } == [["callbacks"]])
    #expect(tables[0].rows[0].offeredPerSecond == 1_000)
  }

  @Test func colourTakesNoColumns() {
    let coloured = LoadTextReport.text(SyntheticLoad.search, context: context, usesColour: true)
    #expect(coloured.contains("\u{1B}["))
    #expect(
      coloured.replacing(#/\u{1B}\[[0-9]*m/#, with: "")
        == LoadTextReport.text(SyntheticLoad.search, context: context))
  }
}
