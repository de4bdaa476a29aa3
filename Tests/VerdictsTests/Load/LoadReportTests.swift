import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct LoadReportTests {
  private let context = SyntheticRun.context

  @Test func `a search shows each contender at its sustained rate`() {
    let tables = SyntheticLoad.search.rateTables
    #expect(tables.map { $0.rows.map(\.cells[0].text) } == [["callbacks"]])
    // Its latencies are those of 1000/s.
    #expect(tables[0].rows[0].cells[1].text == "4.52 ms")
  }
}
