import Verdicts
import Foundation
import Harness
import Results
import UploadScenario

/// Measures now what a baseline measured: the same scenarios, contenders and seed, for as long.
struct BaselineMeasurement {
  private let options: RunOptions
  private let command: BaselineCommand
  private let scenarios: [Scenario]
  private let contenders: [String]
  /// Where the run is kept; nil: nowhere.
  private let output: String?

  init(_ check: BaselineOptions, known: ContenderList) throws {
    let baseline = check.baseline
    command = try BaselineCommand(of: baseline, known: known.all.map(\.name))
    do { options = try RunOptions(Array(command.arguments.dropFirst()), known: known) } catch {
      throw BaselineProblem(
        "the command that recorded \(baseline.name) cannot be repeated by this build: \(SafeText.neutralised("\(error)")) Record a candidate, and give --candidate."
      )
    }
    let reference = check.terms.reference ?? baseline.environment.reference
    contenders = options.contenders.map(\.name).filter {
      $0 == reference || check.terms.contenders?.contains($0) ?? true
    }
    scenarios = options.scenarios.filter {
      baseline.scenarios.contains($0.name) && check.terms.scenarios?.contains($0.name) ?? true
    }
    guard !scenarios.isEmpty else {
      throw BaselineProblem(
        "\(baseline.name) measured \(baseline.scenarios.prefix(8).joined(separator: ", ")), none of which this build knows by that name."
      )
    }
    output = check.output
  }

  /// - Throws: `Interrupted`, if the user ended it.
  func measure(_ output: CheckOutput) throws -> RecordedRun {
    let awake = try Awake.request(options.recording.isAwake)
    let store = try Store(for: scenarios)
    defer { store.clean() }
    let folder = self.output ?? TemporaryFolder.path("fanout-check")
    defer { if self.output == nil { TemporaryFolder.remove(folder) } }
    let directory = try RunDirectory.create(in: folder)
    let plan = RunPlan(
      directory: directory, contenders: contenders, scenarios: store.scenarios, options: options.recording,
      reference: options.reference,
      participants: options.participants.mapValues { $0.filter(contenders.contains) }
    ) {
      $0.timeoutNanoseconds = options.timeoutNanoseconds
    }
    let analysis = try RunCommand.analysisOptions(plan, options)
    BuildAge.remark.map(output.progress)
    output.progress("measuring \(Plural.counted(plan.cells.count, "cell")) as the baseline did …")
    let recording = try Recording.measure(
      plan, in: directory, analysis: analysis,
      launcher: WorkerCommand.launcher(budgetNanoseconds: options.recording.budgetNanoseconds),
      isQuiet: output.isQuiet, awake: awake, commandLine: [CommandName.current] + command.arguments)
    let report = Reporting(recording, analysis: analysis)
    try report.write()
    if Interruption.isRequested {
      throw Interrupted("nothing was compared" + (self.output == nil ? "" : "; \(recording.remains)"))
    }
    return RecordedRun(
      name: self.output == nil ? "this build" : directory.path,
      environment: try directory.readEnvironment(), samples: recording.samples)
  }
}
