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
    try Recording.checkBuild(options.recording, command: "bench")
    Interruption.listen()
    let store = try Store(for: options.scenarios)
    defer { store.removeIfTemporary() }
    let directory = try RunDirectory.create(name: options.recording.name, in: options.recording.output)
    let plan = RunPlan(
      directory: directory, contenders: options.contenders, scenarios: store.scenarios,
      options: options.recording)
    let recording = try Recording(
      plan, in: directory, reference: options.reference, launcher: WorkerCommand.launcher(),
      isQuiet: options.recording.isQuiet)
    let report = Reporting(recording, analysis: analysisOptions(plan, reference: options.reference))
    try report.write()
    Terminal.print(
      try report.text(
        options.recording.format,
        nextSteps: [
          "python3 plot.py \(directory.path)", "swift run -c release bench list",
          "swift run -c release bench --scenario publish-instant-1000 --budget 30s",
        ]))
    if let code = recording.interruptedCode() { return code }
    let differences = try store.differences(contenders: report.measuredContenders)
    for failure in report.failures + differences { Terminal.complain(failure) }
    if !differences.isEmpty { return .contenderFailed }
    return report.failures.isEmpty ? .fine : report.blamesTheStore ? .cannotReadOrWrite : .contenderFailed
  }

  private static func analysisOptions(_ plan: RunPlan<Scenario>, reference: String) -> AnalysisOptions {
    let ends = plan.scenarios.map { ($0.name, ScenarioEnd(of: $0)) }
    return AnalysisOptions(
      reference: reference,
      plannedCells: plan.cells,
      ends: Dictionary(uniqueKeysWithValues: ends),
      subjects: Dictionary(
        uniqueKeysWithValues: plan.scenarios.filter { $0.pattern.looksUp }.map { scenario in
          (
            scenario.name,
            ScenarioSubject(
              text: "\(scenario.pattern.rawValue) on \(scenario.service.rawValue), 3 lookups", unit: "lookup")
          )
        }),
      sourceLines: SourceLines.count(patterns: Set(plan.scenarios.map(\.pattern.rawValue)).sorted()))
  }
}

extension ScenarioEnd {
  fileprivate init(of scenario: Scenario) {
    let fails = scenario.faults.failAt != nil || scenario.faults.failureRate > 0
    self = scenario.cancelAfterNanoseconds != nil ? .cancellation : fails ? .error : .post
  }
}
