/// What a scenario is about, where its samples do not tell.
public struct ScenarioSubject: Sendable, Hashable {
  /// One line for the scenario's heading.
  public var text: String
  /// What its times and counts are per, such as `element`.
  public var unit: String
  /// Whether memory is among its figures: the process's peak, shared out over the units.
  public var showsMemory: Bool

  public init(text: String, unit: String, showsMemory: Bool = false) {
    self.text = text
    self.unit = unit
    self.showsMemory = showsMemory
  }
}
