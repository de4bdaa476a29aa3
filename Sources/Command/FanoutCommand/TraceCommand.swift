import Verdicts
import Exports
import Foundation
import Harness
import Results
import UploadScenario

enum TraceCommand {
  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try TraceOptions(arguments, known: known)
    try UsageError.checkBuild(.trace, allowsDebug: options.allowsDebugBuild)
    _ = try HTTPStore.transport(for: [options.scenario], among: known)
    // Refuses a missing folder now, and not only after the recording.
    let directory = try options.output == nil ? RecordedRun.existing(options.run) : nil
    if let output = options.output, FileManager.default.fileExists(atPath: output) {
      throw ResultsError.exists(path: output, option: "--output")
    }
    try Preparation.begin()
    let store = try Store(for: [options.scenario])
    defer { store.clean() }
    Terminal.progress(
      "recording \(Plural.counted(options.contenders.count, "contender")) on \(options.scenario.name), a second or two each",
      isQuiet: options.isQuiet)
    let report = try report(
      options, store.scenarios[0], launcher: WorkerCommand.launcher(options: { ["--trace", $0] }))
    for fault in report.faults { Terminal.complain("\(fault.contender) is not traced: \(fault.reason)") }
    guard !report.posts.isEmpty else { return .contenderFailed }
    let file = try TraceFile(report)
    if let output = options.output { try TextFile.create(output, file.text) }
    try directory?.write(file.text, as: RunDirectory.traceName)
    let path = options.output ?? "\(options.run)/\(RunDirectory.traceName)"
    let document = report.document([
      "\(path) opens in ui.perfetto.dev and in chrome://tracing"
        + (directory == nil ? "." : "; `plot.py \(options.run)` draws it in the run's page.")
    ])
    Terminal.print(document.text(usesColour: Terminal.wantsColour, width: Terminal.tableWidth))
    return report.faults.isEmpty ? .fine : .contenderFailed
  }

  static func report(
    _ options: TraceOptions, _ scenario: Scenario, launcher: @escaping WorkerLauncher<TraceRequest>
  ) throws -> TraceReport {
    var environment = Environment.record(
      plan: RunPlan(run: "", contenders: options.contenders, scenarios: [scenario]),
      reference: options.contenders[0], commandLine: CommandLine.arguments, startedAt: Date())
    let conditions = RunConditions()
    let pool = WorkerPool(launcher, isInterrupted: { Interruption.isRequested })
    var posts: [TracedPost] = []
    var faults: [(contender: String, reason: String)] = []
    for contender in options.contenders {
      guard let reply = pool.ask(contender, TraceRequest(scenario: scenario)) else {
        throw Interrupted("nothing was written")
      }
      if let trace = reply.post {
        posts.append(
          TracedPost(
            contender: contender, trace: trace, plain: reply.plainNanoseconds,
            recorded: reply.recordedNanoseconds))
      } else {
        faults.append((contender, reply.reason ?? reply.outcome.rawValue))
      }
      pool.stop()
    }
    conditions.end(into: &environment)
    environment.finishedAt = Date()
    return TraceReport(scenario: scenario.name, posts: posts, faults: faults, environment: environment)
  }
}

struct TraceOptions {
  static let options =
    ScenarioOptions.options(usual: " (publish-latency-10, if no option describes another)")
    + [
      Option(
        "--run", "RUN",
        "the recorded run whose folder gets the file, as \(RunDirectory.traceName) (results/\(RunDirectory.latestName))"
      ),
      Option("--output", "FILE", "write it to this new file instead"),
      Option("--quiet", nil, "no progress"),
      Option("--allow-debug-build", nil, "record with a debug build; the file says so"),
    ].titled(RecordingOptions.output)

  let contenders: [String]
  let scenario: Scenario
  let run: String
  let output: String?
  let isQuiet: Bool
  let allowsDebugBuild: Bool

  /// With more requests, trace viewers become hard to use.
  private static let mostRequests = 1_000

  init(_ arguments: [String], known: ContenderList) throws {
    let options = try Options(arguments, known: Self.options)
    if options.has("--run"), options.has("--output") {
      throw UsageError("--run and --output exclude each other.")
    }
    let chosen = try known.chosen(by: options)
    let scenarios = try ScenarioOptions.scenarios(options) ?? Catalog.load
    guard scenarios.count == 1 else {
      throw UsageError(
        "a trace records one post, and \(scenarios.count) scenarios are given: give one, such as --scenario \(scenarios[0].name)."
      )
    }
    var scenario = scenarios[0]
    scenario.reseed(try options.seed("--seed") ?? 1)
    if scenario.behind > 0 || scenario.overlap != nil {
      throw UsageError(
        "\(scenario.name) has many posts at once, and a trace records one: give a scenario without \(scenario.behind > 0 ? "--behind" : "--overlap")."
      )
    }
    if scenario.cancelAfter != nil {
      throw UsageError(
        "\(scenario.name) is cancelled by its user, which a trace does not show: give a scenario without --cancel-after."
      )
    }
    if scenario.requestCount > Self.mostRequests {
      throw UsageError(
        "\(scenario.name) has \(scenario.requestCount) requests, and a trace has room for \(Self.mostRequests): give a smaller --fan-out."
      )
    }
    try chosen.checkThatAllAreWritten([scenario])
    contenders = chosen.writing(scenario).map(\.name)
    self.scenario = scenario
    run = options.text("--run") ?? "results/\(RunDirectory.latestName)"
    output = options.text("--output")
    isQuiet = options.has("--quiet")
    allowsDebugBuild = options.has("--allow-debug-build")
  }
}
