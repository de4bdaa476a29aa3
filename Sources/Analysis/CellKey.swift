/// The name of a cell: contender × scenario.
public struct CellKey: Sendable, Hashable, CustomStringConvertible {
  public let contender: String
  public let scenario: String

  public init(contender: String, scenario: String) {
    self.contender = contender
    self.scenario = scenario
  }

  public var description: String { "\(contender) × \(scenario)" }
}
