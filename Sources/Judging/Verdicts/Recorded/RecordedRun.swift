import Results

/// A recorded run, read whole.
public struct RecordedRun: Sendable {
  /// Its folder as the user gave it, such as `results/baseline`.
  public let path: String
  /// Its name in sentences: the path, or its side if the path is long.
  public private(set) var name: String
  public let environment: EnvironmentRecord
  /// The last line of samples.csv, if a kill cut it off.
  public let truncatedLine: Int?
  /// How many samples of its summary samples.csv lacks, which was cut off at the end of a line.
  public let lostSamples: Int
  /// In the order in which the run took them up.
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

  /// Whether both are the same run, unedited.
  public func isSame(as other: RecordedRun) -> Bool {
    environment == other.environment && cells.mapValues(\.all) == other.cells.mapValues(\.all)
  }

  /// All cells, scenario by scenario.
  public var keys: [CellKey] {
    places.flatMap { place in
      contenders.map { CellKey(contender: $0, place: place) }.filter { cells[$0] != nil }
    }
  }

  /// The places of its cells, scenario by scenario; the machines of one by name.
  var places: [ScenarioKey] {
    let all = Set(cells.keys.map(\.place)).ordered { SortKey(first: $0.machine ?? "") }
    return scenarios.flatMap { scenario in all.filter { $0.scenario == scenario } }
  }

  /// The share of the samples after the warm-up that were dropped as disturbed.
  var disturbedShare: Double {
    let drops = cells.values.flatMap { $0.all.map(\.dropped) }.filter { $0 != .warmUp }
    return drops.isEmpty ? 0 : Double(drops.count { $0 == .disturbed }) / Double(drops.count)
  }
}

extension RecordedRun {
  /// Longer paths would make sentences unreadable.
  private static let longestName = 32

  static func shortlyNamed(_ base: RecordedRun, _ candidate: RecordedRun) -> (RecordedRun, RecordedRun) {
    guard max(base.path.count, candidate.path.count) > longestName else { return (base, candidate) }
    var (old, new) = (base, candidate)
    (old.name, new.name) = ("the base", "the candidate")
    return (old, new)
  }
}

extension RecordedRun {
  /// The same run with the other's names of places.
  ///
  /// Machines match by name. A scenario that each run measured on one machine matches whatever their names: runs of two machines are
  /// compared through their reference.
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

  /// The record of a place's machine: in a merged run, of the part that measured it.
  func environment(of place: ScenarioKey) -> EnvironmentRecord {
    let parts = environment.parts?.filter { $0.machine == machines[place] } ?? []
    return parts.first { $0.scenarios?[place.scenario] != nil } ?? parts.first ?? environment
  }
}
