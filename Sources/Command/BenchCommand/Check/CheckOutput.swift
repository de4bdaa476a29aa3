import Analysis
import Foundation
import Results

/// How a check tells what it found.
struct CheckOutput {
  static let options = [
    Option(
      "--inconclusive", "fail|pass",
      "whether what is not decided fails the check (fail); what was not compared at all does"),
    Option("--fail-on-improvement", nil, "exit 2, too, if something costs less"),
    Option(
      "--format", "FORMAT", "text, markdown, json or github on standard output (text)",
      words: Format.allCases.map(\.rawValue)),
    Option("--report", "FILE", "write the report to this new file, too, as Markdown"),
    Option("--quiet", nil, "no progress"),
  ]

  enum Format: String, CaseIterable { case text, markdown, json, github }

  let format: Format
  let reportPath: String?
  let inconclusiveFails: Bool
  let improvementFails: Bool
  let isQuiet: Bool

  init(_ options: Options) throws {
    format =
      try options.choice("--format", among: Format.allCases.map(\.rawValue)).flatMap(Format.init) ?? .text
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

  /// In the file that the user wants.
  func keep(_ report: CheckReport) throws {
    guard let path = reportPath else { return }
    try write(CheckMarkdownReport.text(report), to: path)
  }

  private func write(_ text: String, to path: String) throws {
    do throws(ResultsError) { try TextFile.create(path, text) } catch { throw error.naming("--report") }
  }

  func text(_ report: CheckReport) throws -> String {
    switch format {
    case .text: CheckTextReport.text(report, usesColour: Terminal.wantsColour)
    case .markdown: CheckMarkdownReport.text(report)
    case .json: try CheckJSONReport.text(report)
    case .github: CheckAnnotations.text(report)
    }
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
