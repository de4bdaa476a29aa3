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

  @Test func `the report file is Markdown in every output format`() throws {
    let folder = try Scratch()
    let path = folder.path("report.md")
    let output = try output(["--format", "github", "--report", path])
    try output.refuseUnwritableReport()
    try output.keep(report)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == report.document.markdown)
    #expect(try output.text(report) == report.annotations)
  }

  @Test func `a report that exists or cannot be written is refused before measuring`() throws {
    let folder = try Scratch()
    func expect(_ refusal: ResultsError, of path: String) {
      #expect(throws: refusal) {
        try CheckCommand.ofUploads.run(
          ["--against", "x", "--report", path], among: ContenderList([Named("a")]))
      }
    }
    let (path, missing) = (folder.path("report.md"), folder.path("missing/report.md"))
    try TextFile.create(path, "kept")
    expect(.exists(path: path, option: "--report"), of: path)
    expect(.cannotWrite(path: missing, reason: "No such file or directory", option: "--report"), of: missing)
    #expect(throws: ResultsError.exists(path: path, option: "--report")) {
      try output(["--report", path]).keep(report)
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "kept")
  }
}
