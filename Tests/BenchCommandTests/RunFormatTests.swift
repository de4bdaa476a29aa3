import Exports
import Testing

@testable import BenchCommand

@Suite struct RunFormatTests {
  private func format(_ arguments: String...) throws -> RunFormat {
    try RunFormat(Options(arguments, known: [RunFormat.option]))
  }

  @Test func aRunIsPrintedAsAReportOrAsAFileOfAnotherTool() throws {
    #expect(try format() == .report(.table))
    for report in ReportFormat.allCases {
      #expect(try format("--format=\(report.rawValue)") == .report(report))
    }
    for export in ExportFormat.allCases {
      #expect(try format("--format=\(export.rawValue)") == .export(export))
    }
  }

  @Test func anotherFormatIsRefused() {
    let error = #expect(throws: UsageError.self) { try format("--format", "spreadsheet") }
    #expect(
      error?.description
        == "unknown format “spreadsheet”. Known: table, markdown, csv, json, benchstat, bmf, gab, hyperfine, pyperf."
    )
  }
}
