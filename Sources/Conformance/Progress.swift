import UploadScenario

/// How far an examination has come: one rule in one pattern begins or has ended.
public struct Progress: Sendable, Hashable, Codable {
  public let rule: Rule
  public let pattern: Pattern
  /// nil as long as it is being tried; then what came to light, which may be about other rules, too.
  public let violations: [Violation]?
}
