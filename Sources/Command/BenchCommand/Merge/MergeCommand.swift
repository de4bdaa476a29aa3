import Analysis
import Foundation
import Results

/// Makes one run directory of several, from other machines or shards. Nothing is measured, and nothing is changed.
enum MergeCommand {
  static let operands = ["RUN…"]

  static let options = [
    Option("--output", "DIR", "where run directories go (results)"),
    Option("--name", "RUN", "the merged run's name (the time of the merge)"),
    ReportFormat.option(.merge),
  ]

  static func run(_ arguments: [String]) throws -> ExitCode {
    let options = try Options(arguments, known: options, operands: operands)
    let format = try ReportFormat(options, .merge)
    let parts = try options.operands.map(MergePart.read)
    try Comparability.check(parts)
    let missing = try ShardCover(parts).missing
    let directory = try RunDirectory.create(
      name: options.text("--name"), in: options.text("--output") ?? "results")
    let environment = EnvironmentRecord(
      merging: parts, run: directory.name, commandLine: CommandLine.arguments, warnings: missing)
    let writer = try directory.begin(environment)
    let samples = parts.flatMap(\.samples)
    for sample in samples { try writer.append(sample) }
    try writer.close()
    let report = Reporting(
      directory, environment: environment, samples: samples,
      analysis: AnalysisOptions(
        environment, plannedCells: parts.flatMap(\.plannedCells),
        sourceLines: parts.reduce(into: [:]) { lines, part in
          lines.merge(part.sourceLines) { $0.merging($1) { first, _ in first } }
        }))
    try report.write()
    Terminal.print(
      try report.text(format, nextSteps: Reporting.charts(of: directory)), remains: directory.remains)
    for failure in report.failures { Terminal.complain(failure) }
    for sentence in missing { Terminal.complain("\(sentence). The rest is merged.") }
    if !report.failures.isEmpty { return .contenderFailed }
    return missing.isEmpty ? .fine : .inconclusive
  }
}
