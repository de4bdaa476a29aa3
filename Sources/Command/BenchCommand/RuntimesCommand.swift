import Analysis
import Foundation
import Harness
import Results
import RuntimeOperations

/// Measures the runtimes alone: their own operations, each beside its reference.
enum RuntimesCommand {
  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try RuntimesOptions(arguments, known: known.runtimes)
    try Recording.checkBuild(options.recording, subcommand: .runtimes)
    try Preparation.begin()
    let directory = try RunDirectory.create(name: options.recording.name, in: options.recording.output)
    let plan = RunPlan(
      directory: directory, contenders: options.contenders.map(\.name), scenarios: options.operations,
      options: options.recording, participants: options.participants
    ) { $0.longestSampleNanoseconds = 200_000_000 }
    let recording = try Recording.measure(
      plan, in: directory, reference: RuntimeOperation.referenceName, launcher: launcher(),
      isQuiet: options.recording.isQuiet)
    let subjects = options.operations.map { operation in
      (
        operation.name,
        ScenarioSubject(
          text: "\(operation.summary); reference: \(operation.reference)", unit: operation.unit,
          showsMemory: operation.showsMemory)
      )
    }
    let report = Reporting(
      recording,
      analysis: AnalysisOptions(
        reference: RuntimeOperation.referenceName, plannedCells: plan.cells,
        subjects: Dictionary(uniqueKeysWithValues: subjects)))
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
    return report.failures.isEmpty ? .fine : .contenderFailed
  }

  /// How this executable is told to be a worker for operations.
  private static func launcher() -> WorkerProcessLauncher<SampleRequest<RuntimeOperation>> {
    WorkerCommand.launcher(option: "--runtime")
  }
}

extension RuntimeOperation: Workload {
  public var columns: WorkloadColumns {
    WorkloadColumns(pattern: family.rawValue, service: "runtime", fanOut: count)
  }

  public var timeoutSeconds: Int { 60 }
  /// The slowest rivals need some ten microseconds a unit.
  public var timeoutSecondsPerIteration: Double { Double(count) / 10_000 }
}
