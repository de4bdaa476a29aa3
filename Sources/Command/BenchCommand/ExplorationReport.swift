import Analysis
import UploadScenario

/// Explores interleavings of the contenders of these names, as far as they can be explored, in these patterns, with random
/// numbers from a seed, for about so long, on the calling thread.
public typealias Explore =
  @Sendable (
    _ contenders: [String], _ patterns: [Pattern], _ seed: UInt64, _ budget: Duration
  ) -> ExplorationReport

/// What an exploration tried and found.
public struct ExplorationReport: Sendable, Hashable, Codable {
  public var schedules: Int
  /// What was explored, each a contender with a scenario; 0: none of those asked for can be.
  public var jobs: Int
  /// For how many of them every possible schedule was tried.
  public var exhausted: Int
  /// The schedules in which a rule was broken, a line each.
  public var findings: [String]

  public init(schedules: Int, jobs: Int, exhausted: Int, findings: [String]) {
    self.schedules = schedules
    self.jobs = jobs
    self.exhausted = exhausted
    self.findings = findings
  }
}

extension ExplorationReport {
  /// Its lines in the table of `verify`; none if nothing was explored.
  var text: String {
    guard jobs > 0 else { return "" }
    let verdict = findings.isEmpty ? "all passed" : "\(findings.count) failed"
    return
      "interleavings       \(Plural.counted(schedules, "schedule")) of \(Plural.counted(jobs, "job")), \(exhausted) of them exhausted: \(verdict)\n"
      + findings.map { "    \($0)\n" }.joined()
  }
}
