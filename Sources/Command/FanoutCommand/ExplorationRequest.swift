import Verdicts
import Foundation
import Harness
import UploadScenario

/// Which interleavings to explore, and for how long.
public struct ExplorationRequest: Sendable, Codable {
  /// The names of the contenders to explore; the report lists those that cannot be.
  public let contenders: [String]
  /// The patterns to explore of each.
  public let patterns: [Pattern]
  /// The seed of random schedules.
  public let seed: UInt64
  /// The time to spend, approximately.
  public let budget: Duration
  /// The file of a schedule to replay instead of exploring.
  public let replaying: String?

  /// How much longer than its time an exploration may take to end.
  private static let graceSeconds = 5

  /// Explores in a process of its own: a hang or crash there ends nothing else. Throws `Interrupted` with `outcome`.
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
      // A contender may hang, or the machine may be slow.
      return ExplorationReport { $0.wasCutShort = true }
    } catch {
      return ExplorationReport {
        ($0.schedules, $0.jobs) = (1, 1)
        $0.findings = ["seed \(seed): the exploration did not end: \(error)"]
      }
    }
  }

  /// Serves as that process.
  func serve(_ explore: @escaping Explore) -> Never {
    // `giveUp` calls it from another thread if the exploring one hangs.
    @Sendable func end(_ report: ExplorationReport) {
      try? WorkerOutput.say((try? JSONEncoder().encode(report)) ?? Data())
      _exit(0)
    }
    WorkerLoop.work("explorer") { end(explore(self, end)) }
  }
}

/// Explores interleavings on the calling thread; if that hangs, another thread calls `giveUp` with the findings so far.
public typealias Explore =
  @Sendable (_ request: ExplorationRequest, _ giveUp: @escaping @Sendable (ExplorationReport) -> Void) ->
  ExplorationReport

/// What an exploration tried and found.
public struct ExplorationReport: Sendable, Hashable, Codable {
  /// The number of schedules tried.
  public var schedules = 0
  /// The number of jobs explored, each a contender with a scenario; 0: none of the contenders can be explored.
  public var jobs = 0
  /// The jobs that are small enough to try every schedule.
  public var coverage: [Coverage] = []
  /// The schedules in which a rule was broken, a line each.
  public var findings: [String] = []
  /// Whether its process did not end in time and was killed.
  public var wasCutShort = false
  /// The contenders that cannot be explored, because they run on threads of their own.
  public var unexplored: [String] = []

  /// A small job, and whether every schedule of it was tried.
  public struct Coverage: Sendable, Hashable, Codable {
    let contender: String
    let job: String
    let isExhausted: Bool

    /// Makes the entry of one job.
    public init(contender: String, job: String, isExhausted: Bool) {
      (self.contender, self.job, self.isExhausted) = (contender, job, isExhausted)
    }
  }

  /// Makes an empty report and changes it.
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

  /// Its lines in the table of `verify`; none if nothing was explored.
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
        "    exhausted by \(contender): \(all.isEmpty ? "none" : all)\(some.isEmpty ? "" : ". Not: \(some)")\n"
    }
    let verdict = findings.isEmpty ? "all passed" : "\(findings.count) failed"
    return
      "interleavings       \(Plural.counted(schedules, "schedule")) of \(Plural.counted(jobs, "job")), \(coverage.count(where: \.isExhausted)) of them exhausted: \(verdict)\n"
      + exhausted.joined() + omitted
      + findings.map { "    \($0)\n" }.joined()
  }
}
