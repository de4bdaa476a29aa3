import Verdicts
import Foundation
import Results
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct CheckOutputTests {
  private let report = CheckReport(against: "HEAD~1", measure: "processor time", [])

  private func output(_ arguments: [String]) throws -> CheckOutput {
    try CheckOutput(Options(arguments, known: CheckOutput.options))
  }

  @Test func theReportIsKeptAsMarkdownWhateverStandardOutputHas() throws {
    let folder = try Scratch()
    let path = folder.path("report.md")
    let output = try output(["--format", "github", "--report", path])
    try output.refuseUnwritableReport()
    try output.keep(report)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == report.document.markdown)
    #expect(try output.text(report) == report.annotations)
  }

  @Test func aReportThatIsThereIsRefusedBeforeAnythingIsMeasured() throws {
    let folder = try Scratch()
    let path = folder.path("report.md")
    try TextFile.create(path, "kept")
    let refusal = ResultsError.exists(path: path, option: "--report")
    #expect(throws: refusal) {
      try CheckCommand.ofUploads.run(
        ["--against", "x", "--report", path], among: ContenderList([Named("a")]))
    }
    #expect(throws: refusal) { try output(["--report", path]).keep(report) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "kept")
  }

  @Test func aReportThatCannotBeWrittenIsRefusedBeforeAnythingIsMeasured() throws {
    let folder = try Scratch()
    let path = folder.path("missing/report.md")
    #expect(
      throws: ResultsError.cannotWrite(path: path, reason: "No such file or directory", option: "--report")
    ) {
      try CheckCommand.ofUploads.run(
        ["--against", "x", "--report", path], among: ContenderList([Named("a")]))
    }
  }
}
