import Results

/// A run as it was recorded, here or elsewhere, read whole.
public struct RecordedRun: Sendable {
  /// What the user calls it, such as `results/baseline`.
  public let name: String
  public let environment: EnvironmentRecord
  /// The number of a line of samples.csv that a kill cut off and that is left out.
  public let truncatedLine: Int?
  /// In the order in which the run took them up.
  public let scenarios: [String]
  public let contenders: [String]
  let cells: [CellKey: Cell]

  public init(
    name: String, environment: EnvironmentRecord, samples: [Sample], truncatedLine: Int? = nil
  ) {
    self.name = name
    self.environment = environment
    self.truncatedLine = truncatedLine
    var grouped: [CellKey: [Sample]] = [:]
    var (scenarios, contenders): ([String], [String]) = ([], [])
    for sample in samples {
      let key = CellKey(contender: sample.contender, scenario: sample.scenario)
      if grouped[key] == nil {
        if !scenarios.contains(key.scenario) { scenarios.append(key.scenario) }
        if !contenders.contains(key.contender) { contenders.append(key.contender) }
      }
      grouped[key, default: []].append(sample)
    }
    (self.scenarios, self.contenders) = (scenarios, contenders)
    cells = Dictionary(
      uniqueKeysWithValues: grouped.map { ($0.key, Cell(key: $0.key, samples: $0.value)) })
  }

  /// All cells, scenario by scenario.
  public var keys: [CellKey] {
    scenarios.flatMap { scenario in
      contenders.map { CellKey(contender: $0, scenario: scenario) }.filter { cells[$0] != nil }
    }
  }

  /// The share of the samples after the warm-up that was dropped as disturbed.
  var disturbedShare: Double {
    let samples = cells.values.flatMap(\.all).filter { $0.dropped != .warmUp }
    return samples.isEmpty ? 0 : Double(samples.count { $0.dropped == .disturbed }) / Double(samples.count)
  }
}
