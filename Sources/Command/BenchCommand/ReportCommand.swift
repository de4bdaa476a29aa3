import Verdicts
import Results

/// Prints the report of a recorded run again, from its samples.
enum ReportCommand {
  static let operands = ["RUN"]

  static let options = [Reporting.details, ReportFormat.option(.report)]

  static func run(_ arguments: [String], among _: ContenderList) throws -> ExitCode {
    let options = try Options(arguments, known: options, operands: operands)
    let format = try ReportFormat(options, .report)
    let (directory, environment, recorded) = try RecordedRun.whole(options.operands[0])
    let report = try Self.report(directory, environment, recorded)
    Terminal.print(
      try report.text(
        format, showsDetails: options.has(Reporting.details.name), nextSteps: Reporting.charts(of: directory))
    )
    for sentence in RecordedRun.losses(in: directory, of: recorded) { Terminal.remark(sentence) }
    return .fine
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
