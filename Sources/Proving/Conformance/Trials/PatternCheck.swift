import RawThreads
import UploadScenario

/// One contender with one pattern: what all trials of it share, and the violations that they found.
final class PatternCheck {
  let contender: any Contender
  let pattern: Pattern
  let limits: Conformance.Limits
  let seed: UInt64
  let threads: AnsweringThreads
  private let deadlineNanoseconds: UInt64
  private var timeoutNanoseconds: UInt64
  private var hangs = 0
  /// The rule that is being tried.
  private(set) var rule = Rule.ends
  /// The first one of each rule.
  private(set) var violations: [Violation] = []

  init(
    _ contender: any Contender, _ pattern: Pattern, seed: UInt64, _ limits: Conformance.Limits,
    deadlineNanoseconds: UInt64, threads: AnsweringThreads
  ) {
    self.contender = contender
    self.pattern = pattern
    self.seed = seed
    self.limits = limits
    self.deadlineNanoseconds = deadlineNanoseconds
    self.threads = threads
    timeoutNanoseconds = limits.timeout.unsignedNanoseconds
  }

  func run(_ script: Script) {
    rule = script.rule
    script.run(self)
  }

  /// Whether the budget is used up, or so many jobs hung that nothing new is to be learned.
  var isOver: Bool { hangs >= 20 || MonotonicClock.nanoseconds() >= deadlineNanoseconds }

  var shapes: [Scenario] { Scenario.shapes(of: pattern) }

  /// The first of the shapes: no limit, no delay.
  var plain: Scenario { shapes[0] }

  /// When a wait that begins now times out.
  var timeoutAtNanoseconds: UInt64 { MonotonicClock.nanoseconds() + timeoutNanoseconds }

  /// Runs a trial of many uploads, which takes long without anything being wrong.
  func largeTrial(
    _ scenario: Scenario, _ moment: String, configure: (inout Backend.State) -> Void,
    _ script: (Trial) throws -> Void
  ) {
    let timeout = timeoutNanoseconds
    timeoutNanoseconds *= 6
    trial(scenario, moment, configure: configure, script)
    timeoutNanoseconds = min(timeout, timeoutNanoseconds)
  }

  /// Runs a trial of so many uploads in every shape of the pattern.
  func trials(
    of uploads: Int, _ moment: String = "", configure: (inout Backend.State) -> Void = { _ in },
    _ script: (Trial) throws -> Void
  ) {
    for shape in shapes { trial(shape.of(uploads), moment, configure: configure, script) }
  }

  /// Runs one script with one job, and cleans up after it.
  ///
  /// - Parameter rule: what any other end of the job breaks; nil: the rule that is being tried.
  func trial(
    _ scenario: Scenario, _ moment: String = "", rule: Rule? = nil, seed: UInt64? = nil,
    configure: (inout Backend.State) -> Void = { _ in }, _ script: (Trial) throws -> Void
  ) {
    let rule = rule ?? self.rule
    // A request that is under way is seen a moment before the contender has its handle. What a job misses in that moment
    // only is not held against it; what it misses every time is.
    for attempt in 1...3 {
      guard !isOver else { return }
      let trial = Trial(self, rule, scenario, moment, seed: seed ?? self.seed, configure: configure)
      defer {
        for problem in trial.backend.read({ $0.observations }) { trial.report(problem) }
        trial.tearDown()
      }
      do {
        trial.begin()
        try script(trial)
        return
      } catch let problem as Oracle.Problem {
        if problem.isDoubtful, attempt < 3 { continue }
        return trial.report(problem)
      } catch {
        return trial.report(
          Oracle.Problem(rule, seen: "\(error)", promised: "that its media file can be read"))
      }
    }
  }

  func report(_ problem: Oracle.Problem, scenario: String, seed: UInt64) {
    guard !isKnown(problem.rule) else { return }
    violations.append(
      Violation(
        rule: problem.rule, contender: contender.name, pattern: pattern, scenario: scenario, seed: seed,
        seen: problem.seen, promised: problem.promised))
  }

  func isKnown(_ rule: Rule) -> Bool { violations.contains { $0.rule == rule.name } }

  /// Something was waited for in vain. What hangs once hangs often: from now on the timeouts are short.
  func shortenTimeouts() {
    hangs += 1
    timeoutNanoseconds = min(timeoutNanoseconds, 200_000_000)
  }
}
