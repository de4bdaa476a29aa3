/// What a run says of a cell beside its reference.
public enum Verdict: String, Sendable, Hashable, CaseIterable, Codable {
  case faster
  case slower
  /// Neither is proved, but that the two differ by less than the margin.
  case equivalent
  /// The run does not tell; that is not the same as being equal.
  case unresolved
}
