import Results

/// A recorded run that was read completely.
public struct RecordedRun: Sendable {
  /// The path of the run's folder as the user gave it, such as `results/baseline`.
  public let path: String
  /// The run's name in sentences: its path, or `the base` or `the candidate` if a path is long.
  public private(set) var name: String
  public let environment: EnvironmentRecord
  /// The number of the last line of samples.csv if a kill cut the line off; otherwise `nil`.
  public let truncatedLine: Int?
  /// The number of samples that summary.csv counts but samples.csv lacks.
  public let lostSamples: Int
  /// The scenarios in the order in which the run measured them first.
  public let scenarios: [String]
  public let contenders: [String]
  private(set) var cells: [CellKey: CellSamples]
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

  /// Whether this is the same run as `other`, and neither file was edited.
  public func isSame(as other: RecordedRun) -> Bool {
    environment == other.environment && cells.mapValues(\.all) == other.cells.mapValues(\.all)
  }

  /// The measured contenders, ordered by scenario.
  public var keys: [CellKey] {
    places.flatMap { place in
      contenders.map { CellKey(contender: $0, place: place) }.filter { cells[$0] != nil }
    }
  }

  /// The scenarios in their order, each with its machines by name.
  var places: [ScenarioKey] {
    let all = Set(cells.keys.map(\.place)).ordered { SortKey(first: $0.machine ?? "") }
    return scenarios.flatMap { scenario in all.filter { $0.scenario == scenario } }
  }

  /// The share of samples that were dropped as disturbed, not counting the warm-up.
  var disturbedShare: Double {
    let drops = cells.values.flatMap { $0.all.map(\.dropped) }.filter { $0 != .warmUp }
    return drops.isEmpty ? 0 : Double(drops.count { $0 == .disturbed }) / Double(drops.count)
  }
}

extension RecordedRun {
  /// The length of a path above which sentences use short names for both runs.
  private static let longestName = 32

  static func shortlyNamed(_ base: RecordedRun, _ candidate: RecordedRun) -> (RecordedRun, RecordedRun) {
    guard max(base.path.count, candidate.path.count) > longestName else { return (base, candidate) }
    var (old, new) = (base, candidate)
    (old.name, new.name) = ("the base", "the candidate")
    return (old, new)
  }

  /// The same run, with keys of scenarios and machines renamed to match the other run's.
  ///
  /// Machines match by name. If each run measured a scenario on one machine, those two machines match, whatever their names: ratios to
  /// the reference make their times comparable.
  func called(as base: RecordedRun) -> RecordedRun {
    let (mine, theirs) = (places, base.places)
    var names: [ScenarioKey: ScenarioKey] = [:]
    for scenario in scenarios {
      let here = mine.filter { $0.scenario == scenario }
      let there = theirs.filter { $0.scenario == scenario }
      for place in here {
        let namesake = there.first { base.machines[$0] != nil && base.machines[$0] == machines[place] }
        let only = here.count == 1 && there.count == 1 ? there[0] : nil
        names[place] = namesake ?? only ?? ScenarioKey(scenario: scenario, machine: machines[place])
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

  /// The record of the machine that measured a scenario. Each part of a merged run has its own record.
  func environment(of place: ScenarioKey) -> EnvironmentRecord {
    let parts = environment.parts?.filter { $0.machine == machines[place] } ?? []
    return parts.first { $0.scenarios?[place.scenario] != nil } ?? parts.first ?? environment
  }
}
