import Foundation
import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct JSONReportTests {
  private func object(_ json: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
  }

  @Test func `a run's report has its totals, its machine and its cells`() throws {
    let run = SyntheticRun.analysis
    let report = try object(try run.json(SyntheticRun.context))
    #expect(report["headline"] as? String == run.headline.joined(separator: " "))
    #expect(report["samples"] as? Int == run.sampleCount)
    #expect(report["dropped"] as? [String: Int] == ["warm_up": 21, "disturbed": 17])
    #expect((report["missing"] as? [Any])?.count == run.missing.count)
    #expect((report["environment"] as? [String: Any])?["commit"] as? String == "0123456789abcdef")
    let scenarios = try #require(report["scenarios"] as? [[String: Any]])
    #expect(scenarios.compactMap { $0["name"] as? String } == run.scenarios.map(\.name))
    let cells = try scenarios.flatMap { try #require($0["cells"] as? [[String: Any]]) }
    #expect(cells.count == run.summaries.count)
    for (cell, summary) in zip(cells, run.summaries) {
      let (written, exact) = (cell["median_ns"] as? Double ?? 0, summary.medianNanoseconds ?? 0)
      #expect(abs(written - exact) <= 1e-8 * exact)
    }
    // Unknown values are null, not absent.
    for cell in cells {
      for column in CellSummary.columns { #expect(cell[column.name] != nil, "\(column.name)") }
    }
  }

  @Test func `a load report has its rule, its rates and its limits`() throws {
    let load = SyntheticLoad.search
    let report = try object(try load.json(SyntheticRun.context))
    #expect(report["rule"] as? String == load.rule.description)
    #expect(report["windows"] as? Int == SyntheticLoad.windows.count)
    let rates = try #require(report["rates"] as? [[String: Any]])
    #expect(rates.map { $0["contender"] as? String } == load.summaries.map(\.subject.contender))
    #expect(rates.map { $0["p99_ns"] as? Int } == load.summaries.map(\.figures.p99Nanoseconds))
    let limits = try #require(report["limits"] as? [[String: Any]])
    #expect(limits.map { $0["held_per_s"] as? Double } == [1_000, nil])
  }
}
