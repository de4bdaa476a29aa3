import UploadScenario

/// How far an examination has come: one rule in one pattern begins or has ended.
public struct Progress: Sendable, Hashable, Codable {
  /// The rule that is being tried, or has been.
  public let rule: Rule
  /// The pattern that it is tried in; a rule of several patterns is tried in each.
  public let pattern: Pattern
  /// nil as long as it is being tried; then what came to light, which may be about other rules, too.
  public let violations: [Violation]?
}
