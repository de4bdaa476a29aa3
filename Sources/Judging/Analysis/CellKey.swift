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
