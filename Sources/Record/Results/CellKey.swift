/// The name of a cell: contender × scenario, and in a run of several machines the machine.
public struct CellKey: Sendable, Hashable, CustomStringConvertible {
  public let contender: String
  public let place: ScenarioKey

  public init(contender: String, scenario: String, machine: String? = nil) {
    self.init(contender: contender, place: ScenarioKey(scenario: scenario, machine: machine))
  }

  public init(contender: String, place: ScenarioKey) {
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

extension Sequence<ScenarioKey> {
  /// Scenarios in the order in which they come first, the machines of one after another.
  package func grouped() -> [ScenarioKey] {
    let places = unique()
    return places.map(\.scenario).unique().flatMap { scenario in
      places.filter { $0.scenario == scenario }
    }
  }
}
