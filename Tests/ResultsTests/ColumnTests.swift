import Foundation
import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct ColumnTests {
  @Test func `columns that were added later are optional`() {
    #expect(Sample.columns[Sample.firstColumnCount - 1].name == "dropped")
    #expect(Sample.columns.dropFirst(Sample.firstColumnCount).allSatisfy { !$0.isRequired })
    #expect(CellSummary.columns[CellSummary.firstColumnCount - 1].name == "source_lines")
    #expect(CellSummary.columns.dropFirst(CellSummary.firstColumnCount).allSatisfy { !$0.isRequired })
  }

  @Test(arguments: ["reference-runtimes", "reference", "reference-rivals"])
  func `the committed runs are readable`(run: String) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("results/\(run)").path
    #expect(try CSVReader<CellSummary>(folder + "/summary.csv").rest().count > 30)
    // What pages quote of samples is read anew by the tests of the pages.
    guard Effort.isThorough else { return }
    #expect(try CSVReader<Sample>(folder + "/samples.csv").rest().count > 2_000)
  }

  @Test func `the committed counts are readable`() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("results/baseline/counters.csv").path
    let file = try CountsFile(path)
    #expect(try file.keys.allSatisfy { try file.text(replacing: $0, with: file.rows(of: $0)) == file.text() })
    #expect(file.rows.count >= 80)
  }

  @Test func `the column dictionary has every column`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try contents(root.appendingPathComponent("results/README.md").path)
    expect("### `samples.csv`", Sample.self, in: readme)
    expect("### `summary.csv`", CellSummary.self, in: readme)
    expect("### `growth.csv`", GrowthRecord.self, in: readme)
    expect("### `crossovers.csv`", CrossoverRecord.self, in: readme)
    expect("### `accounts.csv`", AccountRecord.self, in: readme)
    expect("--record FILE`", DuetRound.self, in: readme)
    expect("it runs on.", CountRecord.self, in: readme)
    expect("### `load.csv`", LoadWindow.self, in: readme)
    expect("### `load_summary.csv`", LoadSummary.self, in: readme)
    expect("### `latencies.csv`", LatencyBucket.self, in: readme)
    expect("### `limits.csv`", LoadLimit.self, in: readme)
  }

  /// Below these words stands a table of all columns in their order, each with its unit.
  private func expect(
    _ words: String, _ record: (some CSVRecord).Type, in readme: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let begin = readme.range(of: words + "\n\n| column | unit | value | meaning |\n")?.upperBound else {
      Issue.record("no table below \(words)", sourceLocation: sourceLocation)
      return
    }
    let rows = readme[begin...].components(separatedBy: "\n").dropFirst().prefix { $0.hasPrefix("|") }
    let cells = rows.map { $0.dropFirst(2).dropLast(2).components(separatedBy: " | ") }
    let expected = record.columns.map { ["`\($0.name)`", $0.unit, $0.isRequired ? "always" : "or empty"] }
    #expect(cells.map { Array($0.prefix(3)) } == expected, sourceLocation: sourceLocation)
  }

  @Test func `unknown is an empty cell, not zero`() throws {
    let fields = try CSVLine.split(makeSample().csvLine().dropLast().utf8)
    for (column, field) in zip(Sample.columns, fields) where field.isEmpty { #expect(!column.isRequired) }
    #expect(fields[Sample.columns.firstIndex { $0.name == "in_flight_limit" }!] == "")
    #expect(fields[Sample.columns.firstIndex { $0.name == "steal_ns" }!] == "")
  }
}
