import Exports
import Foundation
import Results
import TestSupport
import Testing
import Verdicts

@testable import FanoutCommand

@Suite(.ownThread) struct ReportingTests {
  /// A media file that vanishes fails everyone: that is one thing, not eight.
  @Test func `contenders that failed for the same reason share a line`() throws {
    let folder = try RecordedFolder()
    let reasons = ["a": "gone", "b": "gone", "c": "late"]
    let samples = RecordedFolder.samples(
      contenders: ["floor", "a", "b", "c"], scenarios: ["publish-file-1"]
    ) {
      guard let reason = reasons[$0.contender] else { return }
      ($0.outcome, $0.reason) = (.failed, reason)
    }.filter { $0.generation == 0 && $0.round == 0 }
    let report = Reporting(
      try RunDirectory.create(name: "r", in: folder.path), environment: RecordedFolder.environment(),
      samples: samples, analysis: AnalysisOptions(reference: "floor"))
    #expect(
      report.failures == [
        "a, b are not ranked on publish-file-1: gone", "c is not ranked on publish-file-1: late",
      ])
  }
}

@Suite(.ownThread) struct ReportCommandTests {
  private let known = ContenderList([Named("a"), Named("b")])

  @Test func `report writes every format and leaves the run unchanged`() throws {
    let folder = try RecordedFolder()
    let run = try folder.record("base")
    let before = try folder.contents()
    for format in ReportFormat.all(of: .report) where format.name != "csv" {
      #expect(Bench.run(["report", run, "--format", format.name], among: known) == .fine)
    }
    #expect(try folder.contents() == before)
  }

  /// A run that was killed has no summary.
  @Test func `report names only files that exist`() throws {
    let folder = try RecordedFolder()
    let (directory, environment, recorded) = try RecordedRun.whole(try folder.record("killed"))
    let reporting = try ReportCommand.report(directory, environment, recorded)
    func screen() throws -> String { try reporting.text(ReportFormat.all(of: .report)[0], nextSteps: []) }
    #expect(try screen().contains("Every table, charts\n"))
    try reporting.write()
    #expect(try screen().contains("all numbers: "))
  }

  @Test func `the report of a load run is printed in its formats`() throws {
    let folder = try RecordedFolder()
    let directory = try RunDirectory.create(name: "load", in: folder.path)
    try directory.beginLoad(RecordedFolder.environment()).close()
    func code(_ format: String) -> ExitCode {
      Bench.run(["report", directory.path, "--format", format], among: known)
    }
    // It was killed before its end.
    #expect(code("table") == .cannotReadOrWrite)
    try directory.write("# Load\n", as: RunDirectory.markdownName)
    #expect(code("table") == .fine && code("markdown") == .fine)
    #expect(code("csv") == .cannotReadOrWrite && code("json") == .usage)
  }

  @Test func `a folder without a readable run gives an exit code`() throws {
    let folder = try RecordedFolder()
    #expect(Bench.run(["report", folder.path], among: known) == .noBaseline)
    #expect(Bench.run(["report"], among: known) == .usage)
    let run = try folder.record("base")
    try folder.edit(run) { $0[3] = $0[3].replacing("measured", with: "measurd") }
    #expect(Bench.run(["report", run], among: known) == .cannotReadOrWrite)
  }
}

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
