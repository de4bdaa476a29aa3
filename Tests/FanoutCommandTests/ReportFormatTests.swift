import Verdicts
import Exports
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct ReportFormatTests {
  private func format(_ command: Subcommand, _ arguments: String...) throws -> String {
    try ReportFormat(Options(arguments, known: [ReportFormat.option(command)]), command).name
  }

  @Test(
    arguments: [
      (.run, ["table", "markdown", "csv", "json"] + ExportFormat.allCases.map(\.rawValue)),
      (.runtimes, ["table", "markdown", "csv", "json"] + ExportFormat.allCases.map(\.rawValue)),
      (.merge, ["table", "markdown", "csv", "json"] + ExportFormat.allCases.map(\.rawValue)),
      (.report, ["table", "markdown", "csv", "json"]), (.load, ["table", "markdown", "csv", "json"]),
      (.check, ["text", "markdown", "json", "github"]), (.compare, ["text", "markdown", "json"]),
      (.doctor, ["text", "markdown", "json"]), (.list, ["table", "json"]),
    ] as [(Subcommand, [String])])
  func `each command takes its formats, the first by default`(command: Subcommand, names: [String]) throws {
    #expect(ReportFormat.all(of: command).map(\.name) == names)
    #expect(try format(command) == names[0])
    for name in names { #expect(try format(command, "--format=\(name)") == name) }
  }
}
