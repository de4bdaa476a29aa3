import Verdicts
import Foundation
import Harness
import UploadScenario

/// What is to be explored, and how.
public struct ExplorationRequest: Sendable, Codable {
  /// Whom, as far as they can be explored.
  public let contenders: [String]
  public let patterns: [Pattern]
  /// What random schedules are drawn from.
  public let seed: UInt64
  /// For about how long.
  public let budget: Duration
  /// A file whose schedule is followed instead.
  public let replaying: String?

  /// How much longer than its time an exploration may take to end.
  private static let graceSeconds = 5

  /// What a process of its own finds, so that what hangs or crashes in it ends nothing else.
  ///
  /// - Throws: `Interrupted` with these words, if the user ended it.
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
      // Nobody knows whether a contender hangs or the machine is slow.
      return ExplorationReport { $0.wasCutShort = true }
    } catch {
      return ExplorationReport {
        ($0.schedules, $0.jobs) = (1, 1)
        $0.findings = ["seed \(seed): the exploration did not end: \(error)"]
      }
    }
  }

  /// Makes this process such a one.
  func serve(_ explore: @escaping Explore) -> Never {
    // Also from another thread, while the one that explores does not come back.
    @Sendable func end(_ report: ExplorationReport) {
      try? WorkerOutput.say((try? JSONEncoder().encode(report)) ?? Data())
      _exit(0)
    }
    WorkerLoop.work("explorer") { end(explore(self, end)) }
  }
}

/// Explores interleavings on the calling thread; `giveUp` is told on another one what there is if this one does not come back.
public typealias Explore =
  @Sendable (_ request: ExplorationRequest, _ giveUp: @escaping @Sendable (ExplorationReport) -> Void) ->
  ExplorationReport

/// What an exploration tried and found.
public struct ExplorationReport: Sendable, Hashable, Codable {
  public var schedules = 0
  /// What was explored, each a contender with a scenario; 0: none of those asked for can be.
  public var jobs = 0
  /// Those that are small enough to try every possible schedule.
  public var coverage: [Coverage] = []
  /// The schedules in which a rule was broken, a line each.
  public var findings: [String] = []
  /// It had not ended when its time was up, and was given up with all that it had found.
  public var wasCutShort = false
  /// Who was asked for and cannot be explored: what they do goes on on threads of their own.
  public var unexplored: [String] = []

  /// A small job, and whether every schedule of it was tried.
  public struct Coverage: Sendable, Hashable, Codable {
    let contender: String
    let job: String
    let isExhausted: Bool

    public init(contender: String, job: String, isExhausted: Bool) {
      (self.contender, self.job, self.isExhausted) = (contender, job, isExhausted)
    }
  }

  public init(_ change: (inout ExplorationReport) -> Void) { change(&self) }
}

extension ExplorationReport {
  /// Adds what another process has tried at the same time.
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
    if wasCutShort { return "interleavings       not tried: their exploration did not end in its time\n" }
    let untold =
      unexplored.isEmpty
      ? ""
      : "\(String(repeating: " ", count: 20))not explored, as they have threads of their own: \(unexplored.joined(separator: ", "))\n"
    guard jobs > 0 else { return untold }
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
      + exhausted.joined() + untold
      + findings.map { "    \($0)\n" }.joined()
  }
}
