import Foundation
import Results
import Verdicts

/// What changed between two recorded runs. It informs; `check --baseline` decides.
enum CompareCommand {
  static let operands = ["BASE", "CANDIDATE"]

  static let options = RecordedTerms.options + [ReportFormat.option(.compare)]

  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try Options(arguments, known: options, operands: operands)
    let format = try ReportFormat(options, .compare)
    func tell(ofRunItself environment: EnvironmentRecord) throws -> ExitCode {
      let itself = CheckReport(ofRunItself: options.operands[0], environment)
      Terminal.print(try format.text(Report(document: itself.document, json: itself.json)))
      return .fine
    }
    let folders = try options.operands.map(RecordedRun.existing)
    if Set(folders.map { URL(filePath: $0.path).resolvingSymlinksInPath().path }).count == 1 {
      return try tell(ofRunItself: folders[0].readEnvironment())
    }
    let runs = try options.operands.map(RecordedRun.read)
    if runs[0].isSame(as: runs[1]) { return try tell(ofRunItself: runs[0].environment) }
    let comparison = try RecordedComparison(
      base: runs[0], candidate: runs[1], try RecordedTerms.terms(options, runs: runs, known.aliases))
    Terminal.print(try format.text(Report(document: comparison.document, json: comparison.json)))
    return .fine
  }
}
