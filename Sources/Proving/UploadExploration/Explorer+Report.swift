import UploadScenario

extension Explorer {
  /// A schedule in which a rule was broken.
  public struct Failure: Sendable, Hashable, Codable, CustomStringConvertible {
    public let contender: String
    public let pattern: Pattern
    public let seed: UInt64
    /// The name of the rule.
    public let rule: String
    /// What was seen, and what was promised.
    public let problem: String
    /// What happened, in order.
    public let schedule: [String]
    /// What replays it.
    public var file: String?

    public var description: String {
      "\(contender) \(pattern.rawValue): \(rule): \(problem), after: \(schedule.joined(separator: ", "))"
    }

    /// The same over several lines.
    public var story: String {
      let lines = schedule.enumerated().map { "\n      \($0.offset + 1). \($0.element)" }.joined()
      return "\(contender) \(pattern.rawValue): \(rule): \(problem), after:\(lines)"
    }
  }

  /// What was tried.
  public struct Report: Sendable, Hashable, Codable {
    public var schedules = 0
    /// For how many jobs every possible schedule was tried.
    public var exhausted = 0
    public var jobs = 0
    /// The first of each job.
    public var failures: [Failure] = []
  }
}
