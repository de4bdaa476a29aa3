import RawThreads
import UploadScenario

/// Checks a contender against every requirement of `Contender`.
///
///     let violations = Conformance(of: contender, seed: 1).violations(in: [.publish, .race])
///
/// A simulated service holds each request until a generated test case answers it, so tests reach every moment of a job. A state
/// machine judges every event.
public struct Conformance: Sendable {
  /// Of this many generated test cases, the one that covers the most new combinations of traits runs.
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
  ///   - context: the thread or queue on which the service calls completions. `nil` means `inline`.
  ///   - seed: the seed from which test cases are generated.
  ///   - patience: the time after which a job without progress counts as hung. Most hangs are detected sooner.
  ///   - plays: the number of test cases for each rule.
  ///   - schedules: the number of test cases for each pattern's last rule, `any-schedule`, which checks all requirements.
  ///   - mostUploads: the number of uploads in a large post.
  ///   - countsLeftovers: whether to count leaked memory, threads and files. If true, no other code may allocate any.
  ///   - isFirstLook: whether to skip slow test cases and repetitions, which finds most breaches in a fraction of a second.
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

  /// Returns the first violation of each rule in each pattern.
  ///
  /// Blocks the calling thread, which must not belong to the contender's runtime, such as Swift's cooperative pool. Skips
  /// patterns that the contender lacks, everything after the budget is spent, and the rest of a pattern whose jobs keep
  /// hanging. Calls `progress` on the calling thread before and after each rule and pattern.
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

/// The start or the end of the check of one rule in one pattern.
public struct Progress: Sendable, Hashable, Codable {
  /// The requirement that is checked.
  public let rule: Rule
  /// The pattern. A rule that applies to several patterns is checked in each.
  public let pattern: Pattern
  /// The violations found by this check, possibly of other rules. `nil` means that the check begins.
  public let violations: [Violation]?
}
