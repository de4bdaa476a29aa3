import Verdicts
import Foundation
import Harness
import Results

/// Open loop: posts arrive whether or not those before have ended, and latency counts from when they were due.
enum LoadCommand {
  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try LoadOptions(arguments, known: known)
    try Recording.checkBuild(options.recording, subcommand: .load)
    _ = try HTTPStore.transport(for: options.scenarios, among: known)
    try Preparation.begin()
    let awake = try Awake.request(options.recording.isAwake)
    defer { awake?.end() }
    let store = try Store(for: options.scenarios)
    defer { store.clean() }
    let directory = try RunDirectory.create(name: options.recording.name, in: options.recording.output)
    let session = try LoadSession.measure(
      options, scenarios: store.scenarios, in: directory,
      idioms: known.idiomRecords(of: options.contenders),
      launcher: WorkerCommand.launcher(options: { ["--load", $0] }))
    try write(session)
    Terminal.print(try text(session, options), remains: directory.remains)
    if let code = Interruption.exitCode {
      Terminal.complain(
        "interrupted; \(Plural.counted(session.analysis.windows, "window")) kept in \(directory.path)"
      )
      return code
    }
    let failures = session.analysis.summaries.filter { $0.outcome != .measured }
    for row in failures {
      Terminal.complain(
        "\(row.subject.contender) is not ranked on \(row.subject.scenario): \(row.reason ?? row.outcome.rawValue)"
      )
    }
    return failures.isEmpty ? .fine : .contenderFailed
  }

  private static func write(_ session: LoadSession) throws {
    try session.directory.write(session.analysis.summaries, as: RunDirectory.loadSummaryName)
    try session.directory.write(session.analysis.latencies, as: RunDirectory.latenciesName)
    if !session.analysis.limits.isEmpty {
      try session.directory.write(session.analysis.limits, as: RunDirectory.limitsName)
    }
    try session.directory.write(environment: session.environment)
    let context = ReportContext(environment: session.environment)
    try session.directory.write(markdown: session.analysis.document(context).markdown)
  }

  private static func text(_ session: LoadSession, _ options: LoadOptions) throws -> String {
    let analysis = session.analysis
    let context = ReportContext(environment: session.environment, nextSteps: nextSteps(session, options))
    return try options.format.text(
      Report(
        document: analysis.document(context), json: { try analysis.json(context) },
        csv: { try CSVText.text(analysis.summaries) }))
  }

  private static func nextSteps(_ session: LoadSession, _ options: LoadOptions) -> [String] {
    let find = "\(CommandName.invocation) load --find-limit --slo p99=50ms"
    return Reporting.charts(of: session.directory) + (options.precision == nil ? [find] : [])
  }
}
