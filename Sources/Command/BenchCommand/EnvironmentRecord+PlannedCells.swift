import Verdicts
import Results

extension EnvironmentRecord {
  /// The runs that it tells of: its own, unless it was merged from others.
  var runs: [EnvironmentRecord] { parts ?? [self] }

  /// The cells that were to be measured, after those that were.
  func plannedCells(besides samples: [Sample]) -> [CellKey] {
    let seen = samples.map {
      CellKey(contender: $0.contender, scenario: $0.scenario, machine: $0.machine)
    }
    let planned = runs.flatMap { run in
      (run.scenarios ?? [:]).sorted { $0.key < $1.key }.flatMap { name, scenario in
        scenario.contenders.map { CellKey(contender: $0, scenario: name, machine: run.machine) }
      }
    }
    return (seen + planned).unique()
  }
}
