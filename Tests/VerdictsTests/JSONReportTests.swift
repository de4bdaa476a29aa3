import Verdicts
import Foundation
import Results
import TestSupport
import Testing

@Suite(.ownThread) struct JSONReportTests {
  @Test func theReportIsTheGoldenFile() throws {
    try Golden.expect(
      SyntheticRun.analysis.json(SyntheticRun.context), equals: "report.json")
  }

  @Test func everyColumnOfTheSummaryIsAKeyOfEveryCell() throws {
    let json = try SyntheticRun.analysis.json()
    let document = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    let scenarios = try #require(document["scenarios"] as? [[String: Any]])
    let cells = try scenarios.flatMap { try #require($0["cells"] as? [[String: Any]]) }
    #expect(cells.count == 21)
    for cell in cells {
      for column in CellSummary.columns { #expect(cell[column.name] != nil, "\(column.name)") }
    }
  }
}
