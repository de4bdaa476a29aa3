import Results
import Verdicts

/// Reports what changed between two recorded runs. Unlike `check --baseline`, it does not decide whether a change is a regression.
enum CompareCommand {
  static let operands = ["BASE", "CANDIDATE"]

  static let options = RecordedTerms.options + [ReportFormat.option(.compare)]

  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try Options(arguments, known: options, operands: operands)
    let format = try ReportFormat(options, .compare)
    func show(_ report: CheckReport) throws -> ExitCode {
      Terminal.print(try format.text(Report(document: report.document, json: report.json)))
      return .fine
    }
    if let environment = try RecordedRun.onlyOne(of: options.operands) {
      return try show(CheckReport(ofRunItself: options.operands[0], environment))
    }
    let runs = try options.operands.map(RecordedRun.read)
    if runs[0].isSame(as: runs[1]) {
      return try show(CheckReport(ofRunItself: options.operands[0], runs[0].environment))
    }
    let comparison = try RecordedComparison(
      base: runs[0], candidate: runs[1], try RecordedTerms.terms(options, runs: runs, known.aliases))
    return try show(CheckReport(comparison, isGate: false))
  }
}
