/// How a contender's time grows with the fan-out, as far as the run proves it.
public enum GrowthVerdict: String, Sendable, Hashable, CaseIterable, Codable {
  /// In proportion.
  case linear
  case superlinear
  case sublinear
  /// The run does not tell.
  case unresolved
}
