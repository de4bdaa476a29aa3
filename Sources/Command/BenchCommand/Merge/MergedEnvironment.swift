import Verdicts
import Foundation
import Results

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
    (reference, toolchain) = (first.reference, first.toolchain)
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
        + (part.environment.parts == nil
          && (part.environment.finishedAt == nil || part.environment.isInterrupted == true)
          ? ["\(part.path) was ended early"] : [])
    }
  }
}
