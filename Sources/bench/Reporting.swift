import Analysis
import ContenderRegistry
import Foundation
import Harness
import Results
import UploadScenario

/// Turns a run's samples into everything that is written and printed.
struct Reporting {
  private let analysis: RunAnalysis
  private let environment: EnvironmentRecord
  private let samples: [Sample]

  init(plan: RunPlan, reference: String, samples: [Sample], environment: EnvironmentRecord) {
    self.samples = samples
    let cells = plan.scenarios.flatMap { scenario in
      plan.contenders.map { CellKey(contender: $0, scenario: scenario.name) }
    }
    let ends = plan.scenarios.map { ($0.name, ScenarioEnd(of: $0)) }
    analysis = RunAnalysis(
      run: plan.run, samples: samples,
      options: AnalysisOptions(
        reference: reference, plannedCells: cells, ends: Dictionary(uniqueKeysWithValues: ends),
        sourceLines: SourceLines.count(patterns: Set(plan.scenarios.map(\.pattern.rawValue)).sorted())))
    var environment = environment
    environment.finishedAt = Date()
    environment.isInterrupted = Interruption.isRequested
    environment.droppedSamples = Dictionary(
      uniqueKeysWithValues: analysis.droppedSamples.map { ($0.key.rawValue, $0.value) })
    environment.missingCells = analysis.missing.map(\.description)
    if let overhead = environment.harnessOverheadNanoseconds,
      let shortest = analysis.summaries.compactMap(\.medianNanoseconds).min()
    {
      let share = overhead / shortest
      environment.notes["harness_overhead_share_of_shortest_sample"] = String(format: "%.4f", share)
      if share > 0.01 {
        environment.warnings.append(
          "the harness itself takes \(String(format: "%.1f", share * 100)) % of the shortest sample: read its ratios with that in mind"
        )
      }
    }
    self.environment = environment
  }

  /// Those with at least one measured sample.
  var measuredContenders: [String] {
    let measured = Set(samples.filter { $0.outcome == .measured }.map(\.contender))
    return contenders.map(\.name).filter(measured.contains)
  }

  /// What went wrong, one line each; the table says the same.
  var failures: [String] {
    samples.filter { $0.outcome != .measured }.map {
      "\($0.contender) is not ranked on \($0.scenario): \($0.reason ?? $0.outcome.rawValue)"
    }
  }

  /// Whether nothing failed but uploads that the store refused: then no contender is to blame.
  var blamesTheStore: Bool {
    samples.allSatisfy {
      $0.outcome == .measured
        || $0.outcome == .failed && $0.service == ServiceKind.file.rawValue
          && $0.reason?.contains("ended with an error: media") == true
    }
  }

  func write(to directory: RunDirectory) throws {
    try directory.write(summary: analysis.summaries)
    try directory.write(environment: environment)
    try directory.write(
      markdown: MarkdownReport.text(analysis, context: ReportContext(environment: environment)))
  }

  func text(_ format: RunOptions.Format, directory: RunDirectory) throws -> String {
    let context = ReportContext(
      environment: environment,
      nextSteps: [
        "python3 plot.py \(directory.path)", "swift run -c release bench list",
        "swift run -c release bench --scenario publish-instant-1000 --budget 30s",
      ])
    switch format {
    case .table: return TextReport.text(analysis, context: context, usesColour: Terminal.wantsColour)
    case .markdown: return MarkdownReport.text(analysis, context: context)
    case .json: return try JSONReport.text(analysis, context: context)
    case .csv:
      do { return try String(contentsOfFile: directory.summaryPath, encoding: .utf8) } catch {
        throw ResultsError.cannotRead(path: directory.summaryPath, reason: error.localizedDescription)
      }
    }
  }
}

extension ScenarioEnd {
  fileprivate init(of scenario: Scenario) {
    let fails = scenario.faults.failAt != nil || scenario.faults.failureRate > 0
    self = scenario.cancelAfterNanoseconds != nil ? .cancellation : fails ? .error : .post
  }
}
