import Analysis
import UploadScenario

/// Explores the interleavings of runtimes on one thread, which is not for the command to know how: the contenders of these
/// names as far as they can be explored, in these patterns, from a seed, for about so long, on the calling thread.
public typealias Explore =
  @Sendable (
    _ contenders: [String], _ patterns: [Pattern], _ seed: UInt64, _ budget: Duration
  ) -> ExplorationReport

/// What an exploration tried and found.
public struct ExplorationReport: Sendable, Hashable, Codable {
  public var schedules: Int
  /// What was explored, each a contender with a scenario; 0: nobody of those who were asked for can be.
  public var jobs: Int
  /// Those of which all schedules there are were tried.
  public var exhausted: Int
  /// Every promise that was not kept, a line each.
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
    let verdict = findings.isEmpty ? "every promise was kept" : "BROKEN"
    return
      "interleavings       \(Plural.counted(schedules, "schedule")) of \(Plural.counted(jobs, "job")), \(exhausted) of them exhausted: \(verdict)\n"
      + findings.map { "    \($0)\n" }.joined()
  }
}
