import Foundation
import TestSupport
import Testing

@testable import Verdicts
@testable import Results

/// Tables whose head names cells of a committed run show what those cells hold.
///
/// A column's head is three lines: its title, a scenario, and a column of `summary.csv`; each row begins with its
/// contender, and the first column's head may name the run (`reference`). A `?` stands behind the overhead or the ratio of
/// a cell that the run does not tell apart from the reference, a `–` where there is no such cell.
@Suite(.ownThread) struct FigureTableTests {
  @Test(arguments: ["README.md", "Documentation/Contenders.md"])
  func `each figure is that of its row in the cited run`(path: String) throws {
    let page = Page(path)
    let tables = try Self.tables(of: page)
    #expect(!tables.isEmpty)
    var runs: [String: [String: [String: String]]] = [:]
    for table in tables {
      let run =
        Self.fields(table[0])[0].split(separator: "`").dropFirst().first.map(String.init) ?? "reference"
      let cells = try runs[run] ?? Self.cells(of: "results/\(run)")
      runs[run] = cells
      let right = try table.map { try Self.row($0, head: table[0], cells) }
      try page.update(table.joined(separator: "\n"), with: right.joined(separator: "\n"))
      let isRight = try page.text().contains(right.joined(separator: "\n"))
      #expect(isRight, "\(page) should have:\n\(right.joined(separator: "\n"))")
    }
  }

  /// The tables that name scenarios in their heads, line by line.
  private static func tables(of page: Page) throws -> [[String]] {
    let lines = try page.text().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return lines.indices.filter { lines[$0].hasPrefix("|") && lines[$0].contains("<br>`") }.map { start in
      Array(lines[start...].prefix { $0.hasPrefix("|") })
    }
  }

  private static func fields(_ line: String) -> [String] {
    line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// What a line of a table should be: head and rule stay as they are.
  private static func row(_ line: String, head: String, _ cells: [String: [String: String]]) throws -> String
  {
    guard line.hasPrefix("| `") else { return line }
    let title = fields(line)[0]
    let contender = String(title.split(separator: "`")[0])
    let figures = try fields(head).dropFirst().map { title in
      let names = title.components(separatedBy: "<br>").dropFirst().map { $0.filter { $0 != "`" } }
      let key = "\(contender) \(names[0])"
      return try cells[key].map { try figure(names[1], of: $0) } ?? "–"
    }
    return "| " + ([title] + figures).joined(separator: " | ") + " |"
  }

  private static func figure(_ column: String, of cell: [String: String]) throws -> String {
    let text = try #require(cell[column], "there is no column \(column)")
    guard let value = Double(text) else { return text }
    if column.hasSuffix("ratio") {
      let verdict = column == "ratio" ? cell["verdict"] : cell["cpu_verdict"]
      return NumberText.ratio(value) + (verdict == "unresolved" ? " ?" : "")
    }
    guard column.hasPrefix("ns_") || column.contains("_ns") else {
      return column.contains("bytes") ? NumberText.bytes(value) : NumberText.whole(value)
    }
    // Below what the driver takes is the measurement's error, and no idiom's cost.
    if column.contains("above_service"), value < 0 { return "none" }
    let isOverhead = column.hasPrefix("overhead")
    if isOverhead, cell["verdict"] == "" { return "–" }
    let duration = NumberText.duration(value, isSigned: isOverhead).trimmingCharacters(in: .whitespaces)
    return duration + (isOverhead && cell["verdict"] == "unresolved" ? " ?" : "")
  }

  /// The rows of `summary.csv`, each by column, by contender and scenario.
  private static func cells(of run: String) throws -> [String: [String: String]] {
    let path = Page.root.appendingPathComponent("\(run)/summary.csv").path
    let names = CellSummary.columns.map(\.name)
    return Dictionary(
      uniqueKeysWithValues: try CSVReader<CellSummary>(path).rest().map { row in
        let fields = try CellSummary.columns.map { try $0.write(row) }
        return ("\(row.contender) \(row.scenario)", Dictionary(uniqueKeysWithValues: zip(names, fields)))
      })
  }
}
