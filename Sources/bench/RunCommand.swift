import Analysis
import ContenderRegistry
import Foundation
import Harness
import Results
import UploadScenario

/// Measures, records, and prints what was found.
enum RunCommand {
  static func run(_ arguments: [String]) throws -> ExitCode {
    let options = try RunOptions(arguments, known: contenders.map(\.name))
    guard Environment.isReleaseBuild || options.allowsDebugBuild else {
      throw UsageError(
        "this is a debug build, whose times say nothing. Build with `swift run -c release bench`, or give "
          + "--allow-debug-build to see the mechanics.")
    }
    Interruption.listen()
    let store = try Store(for: options.scenarios)
    defer { store.removeIfTemporary() }
    let directory = try RunDirectory.create(name: options.name, in: options.output)
    let plan = RunPlan(
      run: directory.name, contenders: options.contenders, scenarios: store.scenarios,
      generations: options.generations, budgetNanoseconds: options.budgetNanoseconds, rounds: options.rounds,
      seed: options.seed)
    var environment = Environment.record(
      plan: plan, reference: options.reference, commandLine: CommandLine.arguments, startedAt: Date())
    environment.harnessOverheadNanoseconds = Ruler.overheadNanoseconds()
    try directory.write(environment: environment)

    let samples = try measure(plan, in: directory, isQuiet: options.isQuiet)
    let report = Reporting(
      plan: plan, reference: options.reference, samples: samples, environment: environment)
    try report.write(to: directory)
    Terminal.print(try report.text(options.format, directory: directory))
    if let code = Interruption.exitCode {
      Terminal.note("bench: interrupted; \(samples.count) samples are kept in \(directory.path)\n")
      return code
    }
    let differences = try store.differences(contenders: report.measuredContenders)
    for failure in report.failures + differences { Terminal.complain(failure) }
    if !differences.isEmpty { return .contenderFailed }
    return report.failures.isEmpty ? .fine : report.blamesTheStore ? .cannotReadOrWrite : .contenderFailed
  }

  private static func measure(_ plan: RunPlan, in directory: RunDirectory, isQuiet: Bool) throws -> [Sample] {
    let writer = try directory.sampleWriter()
    let bar = ProgressBar()
    var samples: [Sample] = []
    let runner = Runner(
      plan: plan, launcher: WorkerCommand.launcher(), isInterrupted: { Interruption.isRequested },
      progress: { if !isQuiet { bar.show($0) } },
      record: { sample in
        try writer.append(sample)
        samples.append(sample)
      })
    _ = try runner.run()
    if !isQuiet { bar.clear() }
    try writer.close()
    return samples
  }
}
