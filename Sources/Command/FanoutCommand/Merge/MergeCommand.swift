import Results
import Verdicts

/// Makes one run directory of several, from other machines or shards. Nothing is measured, and nothing is changed.
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

/// Whether runs that are shards make up a whole.
enum ShardCover {
  /// A sentence for each shard that is missing; a usage error if shards are of different wholes.
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
            : "\(what) is there \(Plural.counted(count, "time")) and others \(most) times: \(names)")
      }
    }
    return missing
  }
}

extension EnvironmentRecord {
  /// What is to be known of runs that were merged: what is the same in all, and each of them as a part.
  /// ``Comparability`` lets the parts pass, of which there is at least one; `warnings` are what to know besides theirs.
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
    // What a scenario is stands above, once.
    self.parts = runs.map { run in
      var run = run
      run.scenarios = run.scenarios?.mapValues { scenario in
        ScenarioRecord(definition: [:], contenders: scenario.contenders)
      }
      return run
    }
  }

  /// What is incomplete, file by file.
  private static func ends(_ parts: [MergePart]) -> [String] {
    parts.flatMap { part in
      (part.truncatedLine.map {
        ["line \($0) of \(part.path)/\(RunDirectory.samplesName) was cut off and is left out"]
      } ?? [])
        + (part.environment.parts == nil && part.environment.earlyEnd != nil
          ? ["\(part.path) was ended early"] : [])
    }
  }
}
