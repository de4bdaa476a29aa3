import Verdicts
import Foundation
import Results

/// How a check tells what it found.
struct CheckOutput {
  static let options = [
    Option(
      "--inconclusive", "fail|pass",
      "whether what is not decided fails the check (fail); what was not compared at all does"),
    Option("--fail-on-improvement", nil, "exit 2, too, if something costs less"),
    ReportFormat.option(.check),
    Option("--report", "FILE", "write the report to this new file, too, as Markdown"),
    Option("--quiet", nil, "no progress"),
  ]

  let format: ReportFormat
  let reportPath: String?
  let inconclusiveFails: Bool
  let improvementFails: Bool
  let isQuiet: Bool

  init(_ options: Options) throws {
    format = try ReportFormat(options, .check)
    reportPath = options.text("--report")
    inconclusiveFails = try options.choice("--inconclusive", among: ["fail", "pass"]) != "pass"
    improvementFails = options.has("--fail-on-improvement")
    isQuiet = options.has("--quiet")
  }

  /// On standard error, unless the user wants none.
  func progress(_ text: String) { Terminal.progress(text, isQuiet: isQuiet) }

  /// That the report can be written as a new file, before anything is measured for it. Tried, since that alone tells.
  func refuseUnwritableReport() throws {
    guard let path = reportPath else { return }
    try write("", to: path)
    unlink(path)
  }

  func keep(_ report: CheckReport) throws {
    guard let path = reportPath else { return }
    try write(report.document.markdown, to: path)
  }

  private func write(_ text: String, to path: String) throws {
    do throws(ResultsError) { try TextFile.create(path, text) } catch { throw error.naming("--report") }
  }

  func text(_ report: CheckReport) throws -> String {
    try format.text(
      Report(document: report.document, json: report.json, annotations: { report.annotations }))
  }

  func exitCode(_ report: CheckReport) -> ExitCode {
    switch report.verdict {
    case .failed: .contenderFailed
    case .regressed: .regression
    case .inconclusive: inconclusiveFails || report.saysNothing ? .inconclusive : .fine
    case .passed: improvementFails && !report.rows(.improved).isEmpty ? .regression : .fine
    }
  }
}
