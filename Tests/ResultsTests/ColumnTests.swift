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

  @Test(arguments: ["reference-runtimes", "reference"])
  func `the committed runs are readable`(run: String) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("results/\(run)").path
    #expect(try CSVReader<CellSummary>(folder + "/summary.csv").rest().count > 30)
    // What pages quote of samples is read anew by the tests of the pages.
    guard Effort.isThorough, run != "reference-rivals" else { return }
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
    expect("samples.csv", Sample.self, in: readme)
    expect("summary.csv", CellSummary.self, in: readme)
    expect("pairs.csv", PairRecord.self, in: readme)
    expect("growth.csv", GrowthRecord.self, in: readme)
    expect("crossovers.csv", CrossoverRecord.self, in: readme)
    expect("bench check --record FILE", DuetRound.self, in: readme)
    expect("baseline/counters.csv", CountRecord.self, in: readme)
    expect("load.csv", LoadWindow.self, in: readme)
    expect("load_summary.csv", LoadSummary.self, in: readme)
    expect("latencies.csv", LatencyBucket.self, in: readme)
    expect("limits.csv", LoadLimit.self, in: readme)
  }

  /// What `plot.py` reads by: of each column its type, or the words that it may hold, what is refused, and whether it may be empty or
  /// absent. What the file lacks belongs in it.
  @Test func `the table that plot.py reads by is that of the columns`() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("plots/columns.csv").path
    let text =
      "file,column,type,check,need\n" + Self.rules("samples.csv", Sample.self)
      + Self.rules("summary.csv", CellSummary.self) + Self.rules("growth.csv", GrowthRecord.self)
      + Self.rules("load_summary.csv", LoadSummary.self) + Self.rules("latencies.csv", LatencyBucket.self)
      + Self.rules("limits.csv", LoadLimit.self)
    let (lines, file) = (text.components(separatedBy: "\n"), try contents(path).components(separatedBy: "\n"))
    #expect(lines.filter { !file.contains($0) } == [])
    #expect(file.filter { !lines.contains($0) } == [])
  }

  private static func rules<Row: CSVRecord>(_ file: String, _ record: Row.Type) -> String {
    record.columns.enumerated().map { place, column in
      let isWord = column.type is any (CSVField & CaseIterable).Type || column.type == Bool.self
      let words = column.unit.filter { $0 != "`" }.components(separatedBy: ", ").joined(separator: "|")
      let need = column.isRequired ? "always" : place < record.firstColumnCount ? "or empty" : "or absent"
      return CSVLine.join([file, column.name, isWord ? words : "\(column.type)", "\(column.check)", need])
    }.joined()
  }

  /// The table of the file has columns of the file only; with the table of columns that several files have, it has all of them. Each row
  /// has the columns' unit and a meaning.
  private func expect(
    _ file: String, _ record: (some CSVRecord).Type, in readme: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let own = Self.units(below: "### `\(file)`\n", in: readme)
    let all = own.merging(Self.units(below: "### Columns of several files\n", in: readme)) { own, _ in own }
    let names = record.columns.map(\.name)
    #expect(own.keys.filter { !names.contains($0) } == [], "\(file)", sourceLocation: sourceLocation)
    for column in record.columns {
      #expect(all[column.name] == column.unit, "\(file): \(column.name)", sourceLocation: sourceLocation)
    }
  }

  /// The unit of each column that the first table below a heading names; a row may name several columns.
  private static func units(below heading: String, in readme: String) -> [String: String] {
    let section = readme.components(separatedBy: heading).dropFirst().first ?? ""
    let rows = section.components(separatedBy: "\n### ")[0].components(separatedBy: "\n")
      .filter { $0.hasPrefix("| `") && $0.hasSuffix(". |") }
    return rows.map { $0.dropFirst(2).dropLast(2).components(separatedBy: " | ") }.filter { $0.count == 3 }
      .reduce(into: [:]) { units, cells in
        for name in cells[0].components(separatedBy: ", ") {
          units[name.trimmingCharacters(in: ["`"])] = cells[1]
        }
      }
  }

  @Test func `unknown is an empty cell, not zero`() throws {
    let fields = try CSVLine.split(makeSample().csvLine().dropLast().utf8)
    for (column, field) in zip(Sample.columns, fields) where field.isEmpty { #expect(!column.isRequired) }
    #expect(fields[Sample.columns.firstIndex { $0.name == "in_flight_limit" }!] == "")
    #expect(fields[Sample.columns.firstIndex { $0.name == "steal_ns" }!] == "")
  }
}
