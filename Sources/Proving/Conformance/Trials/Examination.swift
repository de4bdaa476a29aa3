import RawThreads
import UploadScenario

/// One contender with one pattern: what all trials of it share, and what they brought to light.
final class Examination {
  let contender: any Contender
  let pattern: Pattern
  let seed: UInt64
  let schedules: Int
  let mostUploads: Int
  let threads: AnsweringThreads
  private let deadlineNanoseconds: UInt64
  private var patienceNanoseconds: UInt64
  private var hangs = 0
  private var patienceFactor: UInt64 = 1
  /// The first one of each rule.
  private(set) var violations: [Violation] = []

  init(
    _ contender: any Contender, _ pattern: Pattern, seed: UInt64, patienceNanoseconds: UInt64, schedules: Int,
    mostUploads: Int,
    deadlineNanoseconds: UInt64, threads: AnsweringThreads
  ) {
    self.contender = contender
    self.pattern = pattern
    self.seed = seed
    self.patienceNanoseconds = patienceNanoseconds
    self.schedules = schedules
    self.mostUploads = mostUploads
    self.deadlineNanoseconds = deadlineNanoseconds
    self.threads = threads
  }

  /// Whether the budget is used up, or so many jobs hung that nothing new is to be learned.
  var isOver: Bool { hangs >= 20 || MonotonicClock.nanoseconds() >= deadlineNanoseconds }

  var shapes: [Scenario] { Scenario.shapes(of: pattern) }

  /// The first of the shapes: no limit, no delay.
  var plain: Scenario { shapes[0] }

  /// When a wait that begins now is given up.
  var giveUpNanoseconds: UInt64 { MonotonicClock.nanoseconds() + patienceNanoseconds * patienceFactor }

  /// Large numbers take long without anything being wrong.
  func withMorePatience(_ body: () -> Void) {
    patienceFactor = 6
    body()
    patienceFactor = 1
  }

  /// Does one script with one job, and cleans up after it.
  func trial(
    of rule: Rule, _ scenario: Scenario, _ moment: String = "", seed: UInt64? = nil,
    configure: (inout Stage.State) -> Void = { _ in }, _ script: (Trial) throws -> Void
  ) {
    // A request that is under way is seen a moment before the contender has its handle. What a job misses in that moment
    // only is not held against it; what it misses every time is.
    for attempt in 1...3 {
      guard !isOver else { return }
      let trial = Trial(self, rule, scenario, moment, seed: seed ?? self.seed, configure: configure)
      defer {
        trial.judgeFindings()
        trial.tearDown()
      }
      do {
        trial.begin()
        try script(trial)
        return
      } catch let doubt as Doubt {
        if attempt == 3 { _ = trial.broken(doubt.rule, seen: doubt.seen, promised: doubt.promised) }
      } catch {
        return  // Reported where it was thrown.
      }
    }
  }

  func report(_ rule: Rule, scenario: String, seed: UInt64, seen: String, promised: String) {
    guard !isKnown(rule) else { return }
    violations.append(
      Violation(
        rule: rule, contender: contender.name, pattern: pattern, scenario: scenario, seed: seed, seen: seen,
        promised: promised))
  }

  func isKnown(_ rule: Rule) -> Bool { violations.contains { $0.rule == rule.name } }

  /// Something was waited for in vain. What hangs once hangs often: from now on the waits are short.
  func losePatience() {
    hangs += 1
    patienceNanoseconds = min(patienceNanoseconds, 200_000_000)
  }
}

/// A trial cannot go on: what was promised did not come, and has been reported.
struct Broken: Error {}

/// A promise seems to be broken, but the moment may have been a bad one: the script is repeated.
struct Doubt: Error {
  let rule: Rule
  let seen: String
  let promised: String
}
