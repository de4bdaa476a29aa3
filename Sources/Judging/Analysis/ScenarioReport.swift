/// What a run says about one scenario.
public struct ScenarioReport: Sendable, Hashable {
  public let place: ScenarioKey
  public let pattern: String
  public let service: String
  public let fanOut: Int
  public let inFlightLimit: Int?
  public let end: ScenarioEnd
  /// What it is about; nil: uploads, as pattern, service and fan-out say.
  public let about: ScenarioSubject?
  /// Rounds that count, at least for some contender.
  public let rounds: Int
  public let disturbance: ScenarioDisturbance
  /// Best rank first; what is not ranked comes last.
  public let cells: [CellReport]
  /// Contenders of the run that have no sample here.
  public let missing: [String]

  public var name: String { place.scenario }
}
