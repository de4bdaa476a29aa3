import Verdicts
import Foundation
import Harness
import Results

/// A run that is to be merged with others, as it was recorded.
struct MergePart {
  let path: String
  let environment: EnvironmentRecord
  /// Each with its machine.
  let samples: [Sample]
  /// The number of a line of samples.csv that a kill cut off and that is left out.
  let truncatedLine: Int?
  /// By contender and pattern, as its summary says; empty if it has none.
  let sourceLines: [String: [String: Int]]

  init(
    path: String, environment: EnvironmentRecord, samples: [Sample], truncatedLine: Int? = nil,
    sourceLines: [String: [String: Int]] = [:]
  ) {
    self.path = path
    self.truncatedLine = truncatedLine
    self.sourceLines = sourceLines
    var environment = environment
    // Runs of a version that did not name its machine: each counts as one of its own.
    if environment.machine == nil, environment.parts == nil {
      environment.machine = MachineName.make(
        processor: environment.cpuModel ?? environment.architecture ?? "",
        coreCount: environment.coreCount ?? 0,
        hostName: "\(environment.run) \(environment.startedAt.timeIntervalSince1970)")
    }
    self.environment = environment
    self.samples = samples.map { sample in
      var sample = sample
      sample.machine = sample.machine ?? environment.machine
      return sample
    }
  }

  static func read(_ path: String) throws -> MergePart {
    let directory = try RunDirectory.open(path)
    let environment = try directory.readEnvironment()
    let recorded = try RecordedRun.samples(in: directory)
    return MergePart(
      path: path, environment: environment, samples: recorded.samples, truncatedLine: recorded.truncatedLine,
      sourceLines: try RecordedRun.sourceLines(in: directory))
  }

  var environmentPath: String { "\(path)/\(RunDirectory.environmentName)" }

  /// The runs that it consists of: itself, unless it was merged before.
  var runs: [EnvironmentRecord] { environment.runs }

  /// Every scenario that it was to measure, on its machine.
  var places: Set<ScenarioKey> {
    Set(samples.map { ScenarioKey(scenario: $0.scenario, machine: $0.machine) })
      .union(
        runs.flatMap { run in
          (run.scenarios ?? [:]).keys.map { ScenarioKey(scenario: $0, machine: run.machine) }
        })
  }

  /// The cells that it was to measure; without a word of that those that it has.
  var plannedCells: [CellKey] { environment.plannedCells(besides: samples) }
}
