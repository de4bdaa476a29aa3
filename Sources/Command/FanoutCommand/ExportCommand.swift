import Verdicts
import Exports
import Results

/// Writes a recorded run in another tool's format. Standard error lists dropped and failed samples, which are left out.
enum ExportCommand {
  static let operands = ["RUN"]

  private static let names = ExportFormat.allCases.map(\.rawValue).alternatives

  static let options = [
    Option(
      "--format", "FORMAT", "the format of another tool: \(names)",
      words: ExportFormat.allCases.map(\.rawValue)),
    Option("--contenders", "A,B", "only these contenders, by name or glob (all that the run has)"),
    Option("--scenario", "A,B", "only these scenarios, by name or glob (all that the run has)"),
    Option(
      "--values", "N",
      "pyperf: N values of each contender in each scenario, each the mean of consecutive samples, so that runs of any length can be compared; 0 exports every sample (6)"
    ),
    Option("--output", "FILE", "write it to this new file (standard output)"),
  ]

  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try Options(arguments, known: options, operands: operands)
    guard let format: ExportFormat = try options.choice("--format") else {
      throw UsageError("--format is missing: give \(names).")
    }
    let values = try options.integer("--values", in: 0...100_000)
    if values != nil, format != .pyperf { throw UsageError("--values is for --format pyperf.") }
    let path = options.operands[0]
    let (run, remarks) = try read(path, options, known.aliases)
    let export = try format.export(run, values: values)
    guard !run.cells.isEmpty else {
      let reasons = run.leftOut.isEmpty ? "" : ": " + run.leftOut.joined(separator: "; ")
      throw BaselineProblem(
        "\(path) has no valid sample of these contenders and scenarios\(reasons). Name others, or record it again."
      )
    }
    if let output = options.text("--output") {
      try TextFile.create(output, export.text)
    } else {
      Terminal.print(export.text)
    }
    for sentence in remarks + run.leftOut + export.remarks { Terminal.remark(sentence) }
    return .fine
  }

  private static func read(_ path: String, _ options: Options, _ aliases: AliasTable) throws -> (
    ExportedRun, remarks: [String]
  ) {
    let (directory, environment, recorded) = try RecordedRun.whole(path)
    let samples = recorded.samples
    let contenders = try options.names(
      "--contenders", "contender", among: samples.map(\.contender).unique(), aliases)
    let scenarios = try options.names("--scenario", "scenario", among: samples.map(\.scenario).unique())
    var analysis = AnalysisOptions(
      environment, plannedCells: environment.plannedCells(besides: samples), sourceLines: [:])
    analysis.rankResamples = 0
    let run = ExportedRun(
      RunAnalysis(run: environment.run, samples: samples, options: analysis), samples: samples,
      environment: environment
    ) { cell in
      contenders?.contains(cell.contender) ?? true && scenarios?.contains(cell.scenario) ?? true
    }
    let remarks = [
      environment.buildConfiguration == "debug" ? "a debug build measured this: its times mean nothing" : nil,
      environment.isInterrupted == true ? "the run was interrupted" : nil,
    ]
    return (run, remarks.compactMap(\.self) + RecordedRun.losses(in: directory, of: recorded))
  }
}
