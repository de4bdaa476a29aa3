import Verdicts
import Foundation
import Results
import TestSupport
import Testing

@testable import FanoutCommand

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
