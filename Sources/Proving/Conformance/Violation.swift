import UploadScenario

/// A promise that a contender did not keep: where, what was seen, and what was promised.
public struct Violation: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The name of the rule that was broken.
  public let rule: String
  /// What the rule says, in one sentence.
  public let promise: String
  /// The contender's name.
  public let contender: String
  /// The pattern that the contender was asked for.
  public let pattern: Pattern
  /// What the contender was asked to do and what the service did meanwhile.
  public let scenario: String
  /// The seed that repeats it, as long as the contender's own threads do.
  public let seed: UInt64
  /// What the contender did instead, in words.
  public let seen: String
  /// What it should have done there, in words.
  public let promised: String

  /// Of the rule its name and its sentence are kept; `scenario`, `seen` and `promised` are words for people, which
  /// ``description`` joins.
  public init(
    rule: Rule, contender: String, pattern: Pattern, scenario: String, seed: UInt64, seen: String,
    promised: String
  ) {
    self.rule = rule.name
    promise = rule.promise
    self.contender = contender
    self.pattern = pattern
    self.scenario = scenario
    self.seed = seed
    self.seen = seen
    self.promised = promised
  }

  /// All of it in one line.
  public var description: String {
    "\(contender) \(pattern.rawValue) fails \(rule): \(scenario): seen \(seen), required \(promised) (seed \(seed))"
  }
}
