import Foundation
import Harness
import Results
import Verdicts

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

/// What forbids that runs are put together: they would be taken for one measurement, and are several.
enum Comparability {
  /// Throws a usage error that names the file and the values that differ.
  static func check(_ parts: [MergePart]) throws {
    guard let first = parts.first else { return }
    for part in parts.dropFirst() {
      for (name, value) in facts {
        let (there, here) = (value(first.environment), value(part.environment))
        guard there != here else { continue }
        throw UsageError(
          "\(part.environmentPath): \(name) is \(text(here)), but \(text(there)) in \(first.environmentPath). Only runs that are alike in it are merged: leave one out, or record it again."
        )
      }
    }
    try checkScenarios(parts)
    try checkRepetition(parts)
  }

  /// What must be the same in all, as environment.json calls it.
  private static let facts: [(String, @Sendable (EnvironmentRecord) -> String?)] = [
    ("contract", { $0.contract.map(String.init) }), ("seed", { "\($0.seed)" }),
    ("build_configuration", { $0.buildConfiguration }), ("commit", { $0.commit }),
    ("dirty", { $0.isDirty.map { "\($0)" } }), ("toolchain", { $0.toolchain }),
    ("reference", { $0.reference }), ("the note drop_rule", { $0.notes["drop_rule"] }),
  ]

  private static func text(_ value: String?) -> String { value.map { SafeText.excerpt($0) } ?? "unknown" }

  /// One name, one scenario.
  private static func checkScenarios(_ parts: [MergePart]) throws {
    typealias Known = [String: (path: String, values: [String: String])]
    func check(_ name: String, _ values: [String: String], _ path: String, _ known: inout Known) throws {
      guard let (other, expected) = known[name] else { return known[name] = (path, values) }
      // Each machine takes so many passes as last as long there.
      let isCalibrated = values["prepare_nanoseconds"] != nil
      let keys = Set(expected.keys).union(values.keys).sorted()
        .filter { !(isCalibrated && $0 == "prepare_passes") }
      guard let key = keys.first(where: { expected[$0] != values[$0] }) else { return }
      throw UsageError(
        "\(path): the scenario \(SafeText.excerpt(name)) has \(SafeText.excerpt(key)) \(text(values[key])), but \(text(expected[key])) in \(other): that is another scenario of the same name, and nothing is merged."
      )
    }
    var (definitions, columns): (Known, Known) = ([:], [:])
    for part in parts {
      for (name, scenario) in (part.environment.scenarios ?? [:]).sorted(by: { $0.key < $1.key })
      where !scenario.definition.isEmpty {
        try check(name, scenario.definition, part.environmentPath, &definitions)
      }
    }
    for part in parts {
      for sample in part.samples {
        try check(
          sample.scenario, sample.scenarioFacts.keyed { ($0, $1) },
          "\(part.path)/\(RunDirectory.samplesName)", &columns)
      }
    }
  }

  /// On a machine a scenario comes of one run: what it measured at another time is another measurement.
  private static func checkRepetition(_ parts: [MergePart]) throws {
    for (index, part) in parts.enumerated() {
      for other in parts[..<index] {
        if let (run, shard) = part.shards.first(where: { mine in
          other.shards.contains { $0.machine == mine.machine && $0.shard == mine.shard }
        }) {
          throw UsageError(
            "shard \(shard) of machine \(run) is in both \(other.path) and \(part.path): leave one out.")
        }
        let common = part.places.intersection(other.places)
        guard let place = common.min(by: { "\($0)" < "\($1)" }) else { continue }
        throw UsageError(
          "\(place.scenario) of machine \(place.machine ?? "unknown") is in both \(other.path) and \(part.path)\(common.count > 1 ? ", and \(common.count - 1) more" : ""): leave one out. If these are two machines, record each with a --machine of its own."
        )
      }
    }
  }
}

extension MergePart {
  fileprivate var shards: [(machine: String, shard: ShardRecord)] {
    runs.compactMap { run in run.shard.map { (run.machine ?? "unknown", $0) } }
  }
}
