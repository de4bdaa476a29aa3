import Results
import Verdicts

/// Says of one cell of a recorded run where the processor time goes.
enum ExplainCommand {
  static let operands = ["CONTENDER", "SCENARIO"]

  static let options = [
    Option("--run", "RUN", "the recorded run (results/latest)"), ReportFormat.option(.explain),
  ]

  static func run(_ arguments: [String], among _: ContenderList) throws -> ExitCode {
    let options = try Options(arguments, known: options, operands: operands)
    let format = try ReportFormat(options, .explain)
    let path = options.text("--run") ?? "results/\(RunDirectory.latestName)"
    let (directory, environment, recorded) = try RecordedRun.whole(path)
    let analysis = RunAnalysis(
      run: directory.name, samples: recorded.samples,
      options: AnalysisOptions(
        environment, plannedCells: environment.plannedCells(besides: recorded.samples), sourceLines: [:]))
    guard let model = CostModel(analysis, environment) else {
      throw BaselineProblem(
        "\(path) has no prices, or too few cells with counts: what explains them is fitted to posts on the instant service, with --contenders and --scenario of several."
      )
    }
    let account = try account(options.operands[0], options.operands[1], in: model)
    Terminal.print(
      try format.text(
        Report(document: model.document(of: account, environment), json: { try model.json(of: account) })))
    for sentence in RecordedRun.losses(in: directory, of: recorded) { Terminal.remark(sentence) }
    return .fine
  }

  private static func account(_ contender: String, _ scenario: String, in model: CostModel) throws
    -> CostAccount
  {
    if let account = model.account(of: contender, in: scenario) { return account }
    let cells = model.accounts.map(\.summary)
    guard cells.contains(where: { $0.contender == contender }) else {
      throw UsageError.unknown("contender", contender, among: cells.map(\.contender).unique())
    }
    throw UsageError.unknown(
      "scenario", scenario, among: cells.filter { $0.contender == contender }.map(\.scenario))
  }
}
