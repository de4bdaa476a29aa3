import TestSupport
import Testing

@testable import Results

/// Every kind of row, with a different value in each column where its type has enough of them.
@Suite(.ownThread) struct RecordTests {
  @Test(
    arguments: [
      Sample.self, CellSummary.self, GrowthRecord.self, CrossoverRecord.self, DuetRound.self,
      CountRecord.self,
      LoadWindow.self, LoadSummary.self, LatencyBucket.self, LoadLimit.self,
    ] as [any CSVRecord.Type])
  func `every column has its own value, and is read as it was written`(record: any CSVRecord.Type) throws {
    try check(record)
  }

  private func check<Row: CSVRecord>(_: Row.Type) throws {
    var row = Row()
    var texts: [String] = []
    for (index, column) in Row.columns.enumerated() {
      let words = column.unit.split { !$0.isLetter && $0 != "_" }.map(String.init)
      let candidates = ["\(index + 7)", "0.25;0.75", "none", "false"] + words
      texts.append(
        try #require(
          candidates.first { (try? column.read($0, &row)) != nil }, "\(column.name): \(column.unit)"))
    }
    for (column, text) in zip(Row.columns, texts) { #expect(try column.write(row) == text, "\(column.name)") }
  }
}
