import Results

extension RecordedRun {
  /// The same run with its places called as another run calls them.
  ///
  /// A machine is the one of the same name. Where a scenario was measured on one machine in either run, whatever their
  /// names, those are held against each other, as runs of two machines always are: through their reference.
  func called(as base: RecordedRun) -> RecordedRun {
    let (mine, theirs) = (places, base.places)
    var names: [ScenarioKey: ScenarioKey] = [:]
    for scenario in scenarios {
      let here = mine.filter { $0.scenario == scenario }
      let there = theirs.filter { $0.scenario == scenario }
      for place in here {
        let namesake = there.first { base.machines[$0] != nil && base.machines[$0] == machines[place] }
        let only = here.count == 1 && there.count == 1 ? there[0] : nil
        names[place] =
          namesake ?? only ?? ScenarioKey(scenario: scenario, machine: machines[place])
      }
    }
    return RecordedRun(self, calling: names)
  }

  /// What is recorded of the machine of a place: of a merged run, by the part that measured it.
  func environment(of place: ScenarioKey) -> EnvironmentRecord {
    let parts = environment.parts?.filter { $0.machine == machines[place] } ?? []
    return parts.first { $0.scenarios?[place.scenario] != nil } ?? parts.first ?? environment
  }
}
