import Foundation
import Harness
import Results
import Verdicts

/// Joins several run folders to a new one. They may be from different machines or shards, and stay unchanged.
enum MergeCommand {
  static let operands = ["RUN…"]

  static let options = [
    Option("--output", "DIR", "where run directories go (results)"),
    Option("--name", "RUN", "the merged run's name (the time of the merge)"),
    ReportFormat.option(.merge),
  ]

  static func run(_ arguments: [String], among _: ContenderList) throws -> ExitCode {
    let options = try Options(arguments, known: options, operands: operands)
    let format = try ReportFormat(options, .merge)
    let parts = try options.operands.map(MergePart.read)
    try Comparability.check(parts)
    let missing = try ShardCover.missing(parts)
    let directory = try RunDirectory.create(
      name: options.text("--name"), in: options.text("--output") ?? "results")
    let environment = EnvironmentRecord(
      merging: parts, run: directory.name, commandLine: CommandLine.arguments, warnings: missing)
    let writer = try directory.begin(environment)
    let samples = parts.flatMap(\.samples)
    for sample in samples { try writer.append(sample) }
    try writer.close()
    let report = Reporting(
      directory, environment: environment, samples: samples,
      analysis: AnalysisOptions(
        environment, plannedCells: parts.flatMap(\.plannedCells),
        sourceLines: parts.reduce(into: [:]) { lines, part in
          lines.merge(part.sourceLines) { $0.merging($1) { first, _ in first } }
        }))
    try report.conclude(format)
    for failure in report.failures { Terminal.complain(failure) }
    for sentence in missing { Terminal.complain("\(sentence). The rest is merged.") }
    if !report.failures.isEmpty { return .contenderFailed }
    return missing.isEmpty ? .fine : .inconclusive
  }
}

enum ShardCover {
  /// A sentence for each missing shard. Throws a usage error if the shards belong to different runs.
  static func missing(_ parts: [MergePart]) throws -> [String] {
    let shards = parts.flatMap { part in part.runs.compactMap { $0.shard.map { (part.path, $0) } } }
    var missing: [String] = []
    for count in Set(shards.map(\.1.count)).sorted() {
      let alike = shards.filter { $0.1.count == count }
      let dealt = alike[0].1.scenarios
      if let (path, _) = alike.first(where: { $0.1.scenarios != dealt }) {
        throw UsageError(
          "\(path) and \(alike[0].0) are shards of \(count), but not of the same scenarios: record all shards with the same options."
        )
      }
      let times = (1...count).map { number in alike.count { $0.1.number == number } }
      let most = times.max() ?? 0
      for (index, count) in times.enumerated() where count < most && !dealt[index].isEmpty {
        let names = dealt[index].joined(separator: ", ")
        let what = "shard \(index + 1) of \(times.count)"
        missing.append(
          count == 0
            ? "\(what) is missing: \(names)"
            : "\(what) is in \(Plural.counted(count, "run")), but others are in \(most): \(names)")
      }
    }
    return missing
  }
}

extension EnvironmentRecord {
  /// A merged run's record: values that its parts share, and each part's record. ``Comparability`` must have accepted the parts.
  init(merging parts: [MergePart], run: String, commandLine: [String], warnings: [String]) {
    let runs = parts.flatMap(\.runs)
    let first = parts[0].environment
    func common<Value: Equatable>(_ path: KeyPath<EnvironmentRecord, Value?>) -> Value? {
      runs.allSatisfy { $0[keyPath: path] == runs[0][keyPath: path] } ? runs[0][keyPath: path] : nil
    }
    self.init()
    (self.run, self.commandLine) = (run, commandLine)
    startedAt = runs.map(\.startedAt).min() ?? first.startedAt
    (seed, buildConfiguration) = (first.seed, first.buildConfiguration)
    finishedAt = runs.contains { $0.finishedAt == nil } ? nil : runs.compactMap(\.finishedAt).max()
    isInterrupted = runs.contains { $0.isInterrupted == true } ? true : common(\.isInterrupted)
    (contract, reference, toolchain) = (first.contract, first.reference, first.toolchain)
    (commit, isDirty) = (first.commit, first.isDirty)
    generations = common(\.generations)
    for path in [\Self.operatingSystem, \.kernel, \.architecture, \.cpuModel, \.machine] {
      self[keyPath: path] = common(path)
    }
    for path in [\Self.coreCount, \.memoryBytes, \.processorsAllowed, \.latencyRequestMicroseconds] {
      self[keyPath: path] = common(path)
    }
    for path in [\Self.harnessOverheadNanoseconds, \.clockResolutionNanoseconds] {
      self[keyPath: path] = common(path)
    }
    notes = runs[0].notes.filter { key, value in runs.allSatisfy { $0.notes[key] == value } }
    self.warnings = (warnings + Self.ends(parts) + parts.flatMap(\.environment.warnings)).unique()
    scenarios = parts.reduce(into: [:]) { all, part in
      for (name, scenario) in part.environment.scenarios ?? [:] {
        let contenders = (all[name]?.contenders ?? []) + scenario.contenders
        all[name] = all[name] ?? scenario
        all[name]?.contenders = contenders.unique()
      }
    }
    let idioms = runs.reduce(into: [:]) { all, run in all.merge(run.idioms ?? [:]) { first, _ in first } }
    self.idioms = idioms.isEmpty ? nil : idioms
    // The merged record contains the definitions of all scenarios, so the parts' records leave them out.
    self.parts = runs.map { run in
      var run = run
      run.scenarios = run.scenarios?.mapValues { scenario in
        ScenarioRecord(definition: [:], contenders: scenario.contenders)
      }
      return run
    }
  }

  /// Warnings about parts whose files lack samples or contradict each other, and about parts that were ended early.
  private static func ends(_ parts: [MergePart]) -> [String] {
    parts.flatMap { part in
      part.damages
        + (part.environment.parts == nil && part.environment.earlyEnd != nil
          ? ["\(part.path) was ended early"] : [])
    }
  }
}

struct MergePart {
  let path: String
  let environment: EnvironmentRecord
  /// The samples, each with the name of its machine.
  let samples: [Sample]
  /// Sentences on samples that the files lack, and on files that contradict each other.
  let damages: [String]
  /// The lines of code by contender and pattern.
  let sourceLines: [String: [String: Int]]

  init(
    path: String, environment: EnvironmentRecord, samples: [Sample], damages: [String] = [],
    sourceLines: [String: [String: Int]] = [:]
  ) {
    self.path = path
    self.damages = damages
    self.sourceLines = sourceLines
    var environment = environment
    // A run without a machine name gets one of its own, so that it shares its machine with no other run.
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
    let directory = try RecordedRun.existing(path)
    let environment = try directory.readEnvironment()
    let recorded = try RecordedRun.samples(in: directory)
    let analysis = try ReportCommand.report(directory, environment, recorded).analysis
    let contradiction = RecordedRun.contradiction(in: directory, analysis, of: recorded.samples)
    return MergePart(
      path: path, environment: environment, samples: recorded.samples,
      damages: RecordedRun.losses(in: directory, of: recorded) + [contradiction].compactMap(\.self),
      sourceLines: try RecordedRun.sourceLines(in: directory))
  }

  var environmentPath: String { "\(path)/\(RunDirectory.environmentName)" }

  /// The records of the original runs, if this part was merged before. Otherwise its only record.
  var runs: [EnvironmentRecord] { environment.runs }

  var places: Set<ScenarioKey> {
    Set(samples.map { ScenarioKey(scenario: $0.scenario, machine: $0.machine) })
      .union(
        runs.flatMap { run in
          (run.scenarios ?? [:]).keys.map { ScenarioKey(scenario: $0, machine: run.machine) }
        })
  }

  var plannedCells: [CellKey] { environment.plannedCells(besides: samples) }

  fileprivate var shards: [(machine: String, shard: ShardRecord)] {
    runs.compactMap { run in run.shard.map { (run.machine ?? "unknown", $0) } }
  }
}

/// Checks whether the parts can be merged into one measurement.
enum Comparability {
  static func check(_ parts: [MergePart]) throws {
    guard let first = parts.first else { return }
    for part in parts.dropFirst() {
      for (name, value) in facts {
        let (there, here) = (value(first.environment), value(part.environment))
        guard there != here else { continue }
        throw UsageError(
          "\(part.environmentPath): \(name) is \(text(here)), but \(text(there)) in \(first.environmentPath). Only runs with the same value can be merged: leave one out, or record it again."
        )
      }
    }
    try checkScenarios(parts)
    try checkRepetition(parts)
  }

  /// The values that all parts must share, by their names in environment.json.
  private static let facts: [(String, @Sendable (EnvironmentRecord) -> String?)] = [
    ("contract", { $0.contract.map(String.init) }), ("seed", { "\($0.seed)" }),
    ("build_configuration", { $0.buildConfiguration }), ("commit", { $0.commit }),
    ("dirty", { $0.isDirty.map { "\($0)" } }), ("toolchain", { $0.toolchain }),
    ("reference", { $0.reference }), ("the note drop_rule", { $0.notes["drop_rule"] }),
  ]

  private static func text(_ value: String?) -> String { value.map { SafeText.excerpt($0) } ?? "unknown" }

  /// Throws if two parts have different scenarios with the same name.
  private static func checkScenarios(_ parts: [MergePart]) throws {
    typealias Known = [String: (path: String, values: [String: String])]
    func check(_ name: String, _ values: [String: String], _ path: String, _ known: inout Known) throws {
      guard let (other, expected) = known[name] else { return known[name] = (path, values) }
      // With `--prepare TIME`, each machine chooses its own number of passes to take this time, so that number may differ.
      let isCalibrated = values["prepare_nanoseconds"] != nil
      let keys = Set(expected.keys).union(values.keys).sorted()
        .filter { !(isCalibrated && $0 == "prepare_passes") }
      guard let key = keys.first(where: { expected[$0] != values[$0] }) else { return }
      throw UsageError(
        "\(path): the scenario \(SafeText.excerpt(name)) has \(SafeText.excerpt(key)) \(text(values[key])), but \(text(expected[key])) in \(other): these are two scenarios of one name. Leave one of the runs out."
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

  /// Throws if two parts have the same scenario on the same machine.
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
