import Verdicts
import Foundation
import Harness
import Results
import RuntimeOperations

/// Measures the runtimes alone: their own operations, each beside its reference.
enum RuntimesCommand {
  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try RuntimesOptions(arguments, known: known.runtimes, known.aliases)
    try Recording.checkBuild(options.recording, subcommand: .runtimes)
    try Preparation.begin()
    let awake = try Awake.request(options.recording.isAwake)
    let directory = try RunDirectory.create(name: options.recording.name, in: options.recording.output)
    let plan = RunPlan(
      directory: directory, contenders: options.contenders.map(\.name), scenarios: options.operations,
      options: options.recording, reference: RuntimeOperation.referenceName,
      participants: options.participants
    ) {
      $0.sampleNanoseconds = 4_000_000
      $0.longestSampleNanoseconds = 200_000_000
      // Its workers do so themselves.
      $0.warmsSamples = false
    }
    let subjects = options.operations.map { operation in
      (
        operation.name,
        ScenarioSubject(
          text: "\(operation.summary); reference: \(operation.reference)", unit: operation.unit,
          showsMemory: operation.showsMemory)
      )
    }
    let analysis = AnalysisOptions(
      reference: RuntimeOperation.referenceName, plannedCells: plan.cells,
      subjects: Dictionary(uniqueKeysWithValues: subjects))
    let recording = try Recording.measure(
      plan, in: directory, analysis: analysis,
      launcher: WorkerCommand.launcher(options: { ["--runtime", $0] }) as WorkerProcessLauncher,
      isQuiet: options.recording.isQuiet, awake: awake)
    let report = Reporting(recording, analysis: analysis)
    try report.write()
    Terminal.print(
      try report.text(
        options.format,
        nextSteps: [
          "python3 plot.py \(directory.path)",
          "\(CommandName.invocation) list",
          "\(CommandName.invocation) runtimes --operations \(options.operations[0].name) --budget 10s",
        ]), remains: directory.remains)
    try recording.checkInterruption()
    for failure in report.failures { Terminal.complain(failure) }
    return report.exitCode
  }
}

extension RuntimeOperation: Workload {
  package var columns: WorkloadColumns {
    WorkloadColumns(pattern: family.rawValue, service: "runtime", fanOut: count)
  }

  package var timeoutSeconds: Int { 60 }
  /// The slowest rivals need some ten microseconds a unit.
  package var timeoutSecondsPerIteration: Double { Double(count) / 10_000 }
}

/// Everything that `bench runtimes` is told.
struct RuntimesOptions {
  static let options =
    [
      Option(
        "--operations", "A,B",
        "which operations, by name or glob, as `\(CommandName.current) list` shows them (all)"),
      Option("--contenders", "A,B", "contenders to measure beside the reference, by name or glob (all)"),
      ScenarioOptions.seed,
    ].titled(ScenarioOptions.measured)
    + RecordingOptions.options(budget: "60s", format: ReportFormat.option(.runtimes))

  let operations: [RuntimeOperation]
  /// Those who take part in anything, the reference first.
  let contenders: [RuntimeContender]
  let recording: RecordingOptions
  let format: ReportFormat

  init(_ arguments: [String], known: [RuntimeContender], _ aliases: AliasTable = AliasTable()) throws {
    let options = try Options(arguments, known: Self.options)
    let wanted =
      try options.list("--contenders").map {
        try Glob.names($0, "contender", among: known.map(\.name), aliases)
      }
      ?? known.map(\.name)
    let chosen = known.filter { $0.name == RuntimeOperation.referenceName || wanted.contains($0.name) }
    let asked = try options.list("--operations")
    let all = RuntimeOperation.all + (asked == nil ? [] : RuntimeOperation.large)
    let names = try asked.map { try Glob.names($0, "operation", among: all.map(\.name)) }
    // An operation that none of the wanted contenders implements would be a table of the reference alone.
    func isImplemented(_ operation: RuntimeOperation) -> Bool {
      chosen.dropFirst().contains { $0.implementations[operation] != nil }
    }
    let operations = all.filter { names?.contains($0.name) ?? isImplemented($0) }
    guard operations.contains(where: isImplemented) else {
      throw UsageError(
        "\(chosen.dropFirst().map(\.name).joined(separator: ", ")) implements none of: "
          + "\((names ?? all.map(\.name)).joined(separator: ", ")). `\(CommandName.current) list` shows who implements what."
      )
    }
    self.operations = operations
    contenders = chosen.filter { contender in operations.contains { contender.implementations[$0] != nil } }
    recording = try RecordingOptions(options, budgetNanoseconds: 60_000_000_000, generations: 6)
    format = try ReportFormat(options, .runtimes)
  }

  var participants: [String: [String]] {
    Dictionary(
      uniqueKeysWithValues: operations.map { operation in
        (operation.name, contenders.filter { $0.implementations[operation] != nil }.map(\.name))
      })
  }
}
