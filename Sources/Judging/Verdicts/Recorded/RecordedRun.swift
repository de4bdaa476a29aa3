import Results

/// A run as it was recorded, here or elsewhere, read whole.
public struct RecordedRun: Sendable {
  /// Where the user says it lies, such as `results/baseline`.
  public let path: String
  /// What sentences call it: the same, or if that is long, its end.
  public private(set) var name: String
  public let environment: EnvironmentRecord
  /// The number of a line of samples.csv that a kill cut off and that is left out.
  public let truncatedLine: Int?
  /// How many samples its summary tells of that samples.csv lacks: it was cut off where a line ends.
  public let lostSamples: Int
  /// In the order in which the run took them up.
  public let scenarios: [String]
  public let contenders: [String]
  private(set) var cells: [CellKey: CellSamples]
  /// What machine each place is on, where that is known: of a run of several the place's own.
  private(set) var machines: [ScenarioKey: String]

  public init(
    name: String, environment: EnvironmentRecord, samples: [Sample], truncatedLine: Int? = nil,
    lostSamples: Int = 0
  ) {
    (path, self.name) = (name, name)
    self.environment = environment
    self.truncatedLine = truncatedLine
    self.lostSamples = lostSamples
    let names = SamplePlaces(samples)
    cells = names.cells(of: samples)
    let inOrder = cells.values.inOrder
    scenarios = inOrder.map(\.key.scenario).unique()
    contenders = inOrder.map(\.key.contender).unique()
    machines = inOrder.keyed { ($0.key.place, $0.all[0].machine ?? environment.machine) }
      .compactMapValues(\.self)
  }

  /// Whether it is the same run, here or in a copy, and nobody has edited one of them.
  public func isSame(as other: RecordedRun) -> Bool {
    environment == other.environment && cells.mapValues(\.all) == other.cells.mapValues(\.all)
  }

  /// All cells, scenario by scenario.
  public var keys: [CellKey] {
    places.flatMap { place in
      contenders.map { CellKey(contender: $0, place: place) }.filter { cells[$0] != nil }
    }
  }

  /// The places of a scenario's cells, scenario by scenario; the machines of one in the order of their names.
  var places: [ScenarioKey] {
    let all = Set(cells.keys.map(\.place)).ordered { SortKey(first: $0.machine ?? "") }
    return scenarios.flatMap { scenario in all.filter { $0.scenario == scenario } }
  }

  /// The share of the samples after the warm-up that was dropped as disturbed.
  var disturbedShare: Double {
    let drops = cells.values.flatMap { $0.all.map(\.dropped) }.filter { $0 != .warmUp }
    return drops.isEmpty ? 0 : Double(drops.count { $0 == .disturbed }) / Double(drops.count)
  }
}

extension RecordedRun {
  /// From so many characters on a path is too long to stand in every second sentence.
  private static let longestName = 32

  /// Both runs, called by their sides if their paths are long; the report says which is which.
  static func shortlyNamed(_ base: RecordedRun, _ candidate: RecordedRun) -> (RecordedRun, RecordedRun) {
    guard max(base.path.count, candidate.path.count) > longestName else { return (base, candidate) }
    var (old, new) = (base, candidate)
    (old.name, new.name) = ("the base", "the candidate")
    return (old, new)
  }
}

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
    var run = self
    run.machines = machines.keyed { (names[$0] ?? $0, $1) }
    run.cells = cells.values.keyed { cell in
      let key = CellKey(contender: cell.key.contender, place: names[cell.key.place] ?? cell.key.place)
      return (key, CellSamples(key: key, samples: cell.all))
    }
    return run
  }

  /// What is recorded of the machine of a place: of a merged run, by the part that measured it.
  func environment(of place: ScenarioKey) -> EnvironmentRecord {
    let parts = environment.parts?.filter { $0.machine == machines[place] } ?? []
    return parts.first { $0.scenarios?[place.scenario] != nil } ?? parts.first ?? environment
  }
}
