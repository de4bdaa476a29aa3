import Results

/// The name of a cell: contender × scenario, and in a run of several machines the machine.
public struct CellKey: Sendable, Hashable, CustomStringConvertible {
  public let contender: String
  public let place: ScenarioKey

  public init(contender: String, scenario: String, machine: String? = nil) {
    self.init(contender: contender, place: ScenarioKey(scenario: scenario, machine: machine))
  }

  init(contender: String, place: ScenarioKey) {
    self.contender = contender
    self.place = place
  }

  public var scenario: String { place.scenario }
  public var machine: String? { place.machine }

  public var description: String { "\(contender) × \(place)" }
}

/// A scenario on a machine: only what shares both is compared.
public struct ScenarioKey: Sendable, Hashable, CustomStringConvertible {
  public let scenario: String
  /// nil where there is no other machine to tell it from.
  public let machine: String?

  public init(scenario: String, machine: String? = nil) {
    self.scenario = scenario
    self.machine = machine
  }

  /// Such as `publish-instant-100`, or `publish-instant-100 @ node-7`.
  public var description: String { machine.map { "\(scenario) @ \($0)" } ?? scenario }
}

/// Where the samples of a run were taken.
struct SamplePlaces {
  /// Whether they are of more than one machine: only then a place names one.
  let areSeveral: Bool

  init(_ samples: [Sample]) { areSeveral = samples.contains { $0.machine != samples[0].machine } }

  func key(of sample: Sample) -> CellKey { key(sample.contender, sample.scenario, sample.machine) }

  func key(_ contender: String, _ scenario: String, _ machine: String?) -> CellKey {
    CellKey(contender: contender, scenario: scenario, machine: areSeveral ? machine : nil)
  }

  func cells(of samples: [Sample]) -> [CellKey: CellSamples] {
    samples.grouped(by: key).keyed { ($0, CellSamples(key: $0, samples: $1)) }
  }
}

extension Sequence<ScenarioKey> {
  /// Scenarios in the order in which they come first, the machines of one after another.
  func grouped() -> [ScenarioKey] {
    let places = unique()
    return places.map(\.scenario).unique().flatMap { scenario in
      places.filter { $0.scenario == scenario }
    }
  }
}

/// When a sample was taken: samples of one scenario that share it are compared.
struct RoundKey: Hashable {
  let run: String
  let generation: Int
  let round: Int

  init(_ sample: Sample) {
    run = sample.run
    generation = sample.generation
    round = sample.round
  }

  var sortKey: SortKey { SortKey(first: run, numbers: [Double(generation), Double(round)]) }

  /// The set of processes it was taken in: one generation of one run.
  var process: String { "\(generation) \(run)" }
}
