import Foundation
import Verdicts
import Results

enum ReportCommand {
  static let operands = ["RUN"]

  static let options = [Reporting.details, ReportFormat.option(.report)]

  static func run(_ arguments: [String], among _: ContenderList) throws -> ExitCode {
    let options = try Options(arguments, known: options, operands: operands)
    let format = try ReportFormat(options, .report)
    if let text = try loadReport(options.operands[0], format) {
      Terminal.print(text)
      return .fine
    }
    let (directory, environment, recorded) = try RecordedRun.whole(options.operands[0])
    let report = try Self.report(directory, environment, recorded)
    let contradiction = RecordedRun.contradiction(in: directory, report.analysis, of: recorded.samples)
    if format.name == "csv", contradiction != nil {
      Terminal.print(try CSVText.text(report.analysis.summaries))
    } else {
      Terminal.print(
        try report.text(
          format, showsDetails: options.has(Reporting.details.name),
          nextSteps: Reporting.charts(of: directory))
      )
    }
    if let contradiction { Terminal.remark(contradiction) }
    for sentence in RecordedRun.losses(in: directory, of: recorded) { Terminal.remark(sentence) }
    return .fine
  }

  /// The report that a load run wrote at its end, because load.csv lacks some of the data. `nil` for a run with samples.
  private static func loadReport(_ path: String, _ format: ReportFormat) throws -> String? {
    guard FileManager.default.fileExists(atPath: "\(path)/\(RunDirectory.loadName)") else { return nil }
    if format.name == "json" {
      throw UsageError("a load run keeps no JSON: give --format table, markdown or csv.")
    }
    let file = "\(path)/\(format.name == "csv" ? RunDirectory.loadSummaryName : RunDirectory.markdownName)"
    do { return try String(contentsOfFile: file, encoding: .utf8) } catch {
      throw ResultsError.cannotRead(path: file, reason: SystemReason.of(error))
    }
  }

  static func report(
    _ directory: RunDirectory, _ environment: EnvironmentRecord, _ recorded: RecordedSamples
  ) throws -> Reporting {
    Reporting(
      directory, environment: environment, samples: recorded.samples,
      analysis: AnalysisOptions(
        environment, plannedCells: environment.plannedCells(besides: recorded.samples),
        sourceLines: try RecordedRun.sourceLines(in: directory)))
  }
}
