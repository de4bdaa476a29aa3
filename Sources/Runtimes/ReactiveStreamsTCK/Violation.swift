/// A rule of the Reactive Streams specification that was broken, and how it showed.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
  /// The specification's number of the rule, as "1.3".
  public let rule: String
  /// What was seen, for people.
  public let finding: String

  /// The rule is given by the specification's number of it.
  public init(rule: String, _ finding: String) {
    self.rule = rule
    self.finding = finding
  }

  public var description: String { "rule \(rule): \(finding)" }
}
