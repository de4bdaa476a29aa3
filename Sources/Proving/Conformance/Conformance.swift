import RawThreads
import UploadScenario

/// Checks a contender against every requirement of `Contender`.
///
///     let violations = Conformance(of: contender, seed: 1).violations(in: [.publish, .race])
///
/// A service that does nothing by itself holds every request until a `Play`, drawn from the seed, answers it: each moment of a
/// job is reached, whatever the machine's speed. A `Model` of the contract judges every event.
public struct Conformance: Sendable {
  /// How many seeds are drawn for one play; the one with the most new combinations is played.
  package static let seedsPerPlay: UInt64 = 5

  let contender: any Contender
  let context: CompletionContext?
  let seed: UInt64
  let patience: Duration
  let plays: Int
  let schedules: Int
  let mostUploads: Int
  let countsLeftovers: Bool
  let isFirstLook: Bool

  /// Configures the checks.
  ///
  /// - Parameters:
  ///   - contender: the contender to check.
  ///   - context: where the service calls completions; nil: `inline`.
  ///   - seed: what plays are drawn from.
  ///   - patience: the timeout after which a silent job counts as hung, where that cannot be seen sooner.
  ///   - plays: how many plays are drawn for each rule.
  ///   - schedules: how many plays are drawn for each pattern's last rule, which is about all of them.
  ///   - mostUploads: the size of a large post.
  ///   - countsLeftovers: whether leaked memory, threads and files are counted; then nothing else may allocate any.
  ///   - isFirstLook: leaves out slow plays and repetitions: finds most breaches in a fraction of a second.
  public init(
    of contender: any Contender, on context: CompletionContext? = nil, seed: UInt64 = 1,
    patience: Duration = .seconds(20), plays: Int = 4,
    schedules: Int = 40, mostUploads: Int = 100_000, countsLeftovers: Bool = true,
    isFirstLook: Bool = false
  ) {
    (self.contender, self.context) = (contender, context)
    (self.seed, self.patience, self.plays, self.schedules) = (seed, patience, plays, schedules)
    self.mostUploads = mostUploads
    self.countsLeftovers = countsLeftovers
    self.isFirstLook = isFirstLook
  }

  /// Returns the first violation of every rule in each pattern.
  ///
  /// Blocks the calling thread, which must not be one that the contender's idiom runs on, such as a task's. Patterns that the
  /// contender lacks are skipped; nothing new begins after the budget, nor in a pattern whose jobs hang repeatedly. `progress`
  /// is called on the calling thread, before and after each rule and pattern.
  public func violations(
    in patterns: [Pattern] = Pattern.allCases, rules: [Rule] = Rule.all, budget: Duration? = nil,
    progress: (Progress) -> Void = { _ in }
  ) -> [Violation] {
    let deadline = budget.map { MonotonicClock.nanoseconds() &+ $0.unsignedNanoseconds } ?? .max
    let threads = AnsweringThreads(count: 4)
    defer { threads.close() }
    var violations: [Violation] = []
    for pattern in patterns where contender.patterns.contains(pattern) {
      let check = PatternCheck(self, pattern, deadlineNanoseconds: deadline, threads: threads)
      for rule in rules where rule.patterns.contains(pattern) {
        guard !check.isOver else { break }
        progress(Progress(rule: rule, pattern: pattern, violations: nil))
        let known = check.violations.count
        check.run(rule.kind)
        progress(Progress(rule: rule, pattern: pattern, violations: Array(check.violations[known...])))
      }
      violations += check.violations
    }
    return violations
  }
}

/// Progress of a check: a rule begins or has ended in one pattern.
public struct Progress: Sendable, Hashable, Codable {
  /// The rule.
  public let rule: Rule
  /// The pattern; a rule of several patterns is checked in each.
  public let pattern: Pattern
  /// nil: the rule begins; else the violations found, which may be of other rules, too.
  public let violations: [Violation]?
}
