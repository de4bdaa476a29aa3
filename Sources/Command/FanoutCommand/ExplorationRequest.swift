import Verdicts
import Foundation
import Harness
import UploadScenario

/// A request to explore interleavings for some time.
public struct ExplorationRequest: Sendable, Codable {
  /// The names of the contenders to explore. The report lists those that cannot be explored.
  public let contenders: [String]
  /// The patterns to explore for each contender.
  public let patterns: [Pattern]
  /// The seed that selects random interleavings.
  public let seed: UInt64
  /// The approximate time to spend.
  public let budget: Duration
  /// The file of a failed interleaving to replay. With it, nothing is explored.
  public let replaying: String?

  /// The number of seconds by which an exploration may exceed its budget.
  private static let graceSeconds = 5

  /// Explores in a separate process, so that a hang or crash ends only that process. Throws `Interrupted` with `outcome` after Ctrl-C.
  func report(orElse outcome: String) throws -> ExplorationReport {
    do throws(WorkerFailure) {
      let process = try LineProcess(
        executable: WorkerCommand.executable, arguments: try WorkerCommand.arguments("--explore", self),
        isInterrupted: { Interruption.isRequested })
      defer { process.stop() }
      return try process.readValue(seconds: Int(budget.components.seconds) + Self.graceSeconds)
    } catch .interrupted {
      throw Interrupted(outcome)
    } catch .silent {
      // The exploration may exceed its budget because a contender hangs or the machine is slow.
      return ExplorationReport { $0.wasCutShort = true }
    } catch {
      return ExplorationReport {
        ($0.schedules, $0.jobs) = (1, 1)
        $0.findings = ["seed \(seed): the exploration did not end: \(error)"]
      }
    }
  }

  /// Explores and then ends the process. Only the separate process calls this function.
  func serve(_ explore: @escaping Explore) -> Never {
    // If the exploring thread hangs, `giveUp` calls this function from another thread.
    @Sendable func end(_ report: ExplorationReport) {
      try? WorkerOutput.say((try? JSONEncoder().encode(report)) ?? Data())
      _exit(0)
    }
    WorkerLoop.work("explorer") { end(explore(self, end)) }
  }
}

/// Explores interleavings on the calling thread. If that thread hangs, another thread calls `giveUp` with the findings so far.
public typealias Explore =
  @Sendable (_ request: ExplorationRequest, _ giveUp: @escaping @Sendable (ExplorationReport) -> Void) ->
  ExplorationReport

/// The results of an exploration: what it tried and what it found.
public struct ExplorationReport: Sendable, Hashable, Codable {
  /// The number of interleavings tried.
  public var schedules = 0
  /// The number of jobs (a contender with a scenario) explored. 0 means that none of the contenders can be explored.
  public var jobs = 0
  /// The jobs that are small enough to try all their interleavings.
  public var coverage: [Coverage] = []
  /// One line for each interleaving in which a contender broke a requirement.
  public var findings: [String] = []
  /// Whether the exploring process was killed because it did not end in time.
  public var wasCutShort = false
  /// The contenders that cannot be explored, because they use their own threads.
  public var unexplored: [String] = []

  /// A small job, and whether all its interleavings were tried.
  public struct Coverage: Sendable, Hashable, Codable {
    let contender: String
    let job: String
    let isExhausted: Bool

    /// Creates the entry of one job.
    public init(contender: String, job: String, isExhausted: Bool) {
      (self.contender, self.job, self.isExhausted) = (contender, job, isExhausted)
    }
  }

  /// Creates an empty report and applies `change`.
  public init(_ change: (inout ExplorationReport) -> Void) { change(&self) }
}

extension ExplorationReport {
  mutating func add(_ other: ExplorationReport) {
    schedules += other.schedules
    jobs += other.jobs
    coverage += other.coverage
    findings += other.findings
    wasCutShort = wasCutShort || other.wasCutShort
    unexplored += other.unexplored
  }

  /// The lines about interleavings that `bench verify` prints.
  var text: String {
    if wasCutShort { return "interleavings       not tried: their exploration did not end in time\n" }
    let omitted =
      unexplored.isEmpty
      ? ""
      : "\(String(repeating: " ", count: 20))not explored, as they have threads of their own: \(unexplored.joined(separator: ", "))\n"
    guard jobs > 0 else { return omitted }
    func names(_ contender: String, _ isExhausted: Bool) -> String {
      coverage.filter { $0.contender == contender && $0.isExhausted == isExhausted }.map(\.job)
        .joined(separator: "; ")
    }
    let exhausted = coverage.map(\.contender).unique().map { contender in
      let (all, some) = (names(contender, true), names(contender, false))
      return
        "    tried completely for \(contender): \(all.isEmpty ? "none" : all)\(some.isEmpty ? "" : ". Not for: \(some)")\n"
    }
    let verdict = findings.isEmpty ? "all passed" : "\(findings.count) failed"
    return
      "interleavings       \(schedules) tried of \(Plural.counted(jobs, "job")), completely for \(coverage.count(where: \.isExhausted)) of them: \(verdict)\n"
      + exhausted.joined() + omitted
      + findings.map { "    \($0)\n" }.joined()
  }
}
