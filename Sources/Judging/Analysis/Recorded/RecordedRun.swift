import Results

/// A run as it was recorded, here or elsewhere, read whole.
public struct RecordedRun: Sendable {
  /// Where the user says it lies, such as `results/baseline`.
  public let path: String
  /// What sentences call it: the same, or if that is long, its end.
  public let name: String
  public let environment: EnvironmentRecord
  /// The number of a line of samples.csv that a kill cut off and that is left out.
  public let truncatedLine: Int?
  /// How many samples its summary tells of that samples.csv lacks: it was cut off where a line ends.
  public let lostSamples: Int
  /// In the order in which the run took them up.
  public let scenarios: [String]
  public let contenders: [String]
  let cells: [CellKey: Cell]
  /// What machine each place is on, where that is known: of a run of several the place's own.
  let machines: [ScenarioKey: String]

  public init(
    name: String, environment: EnvironmentRecord, samples: [Sample], truncatedLine: Int? = nil,
    lostSamples: Int = 0
  ) {
    (path, self.name) = (name, name)
    self.environment = environment
    self.truncatedLine = truncatedLine
    self.lostSamples = lostSamples
    let names = SamplePlaces(samples)
    var grouped: [CellKey: [Sample]] = [:]
    var (scenarios, contenders): ([String], [String]) = ([], [])
    var machines: [ScenarioKey: String] = [:]
    for sample in samples {
      let key = names.key(of: sample)
      machines[key.place] = sample.machine ?? environment.machine
      if grouped[key] == nil {
        if !scenarios.contains(key.scenario) { scenarios.append(key.scenario) }
        if !contenders.contains(key.contender) { contenders.append(key.contender) }
      }
      grouped[key, default: []].append(sample)
    }
    (self.scenarios, self.contenders, self.machines) = (scenarios, contenders, machines)
    cells = Dictionary(
      uniqueKeysWithValues: grouped.map { ($0.key, Cell(key: $0.key, samples: $0.value)) })
  }

  /// A run whose places have other names, or that has one itself; each place must have one of its own.
  init(_ run: RecordedRun, named name: String? = nil, calling names: [ScenarioKey: ScenarioKey] = [:]) {
    func called(_ place: ScenarioKey) -> ScenarioKey { names[place] ?? place }
    (path, self.name, environment) = (run.path, name ?? run.name, run.environment)
    (truncatedLine, lostSamples) = (run.truncatedLine, run.lostSamples)
    (scenarios, contenders) = (run.scenarios, run.contenders)
    machines = Dictionary(uniqueKeysWithValues: run.machines.map { (called($0.key), $0.value) })
    cells = Dictionary(
      uniqueKeysWithValues: run.cells.values.map { cell in
        let key = CellKey(contender: cell.key.contender, place: called(cell.key.place))
        return (key, Cell(key: key, samples: cell.all))
      })
  }

  /// All cells, scenario by scenario.
  public var keys: [CellKey] {
    places.flatMap { place in
      contenders.map { CellKey(contender: $0, place: place) }.filter { cells[$0] != nil }
    }
  }

  /// The places of a scenario's cells, scenario by scenario; the machines of one in the order of their names.
  var places: [ScenarioKey] {
    let all = Set(cells.keys.map(\.place)).sorted { ($0.machine ?? "") < ($1.machine ?? "") }
    return scenarios.flatMap { scenario in all.filter { $0.scenario == scenario } }
  }

  /// The share of the samples after the warm-up that was dropped as disturbed.
  var disturbedShare: Double {
    let samples = cells.values.flatMap(\.all).filter { $0.dropped != .warmUp }
    return samples.isEmpty ? 0 : Double(samples.count { $0.dropped == .disturbed }) / Double(samples.count)
  }
}
