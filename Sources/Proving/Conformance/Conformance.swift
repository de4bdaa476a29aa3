import RawThreads
import UploadScenario

/// Finds out whether a contender keeps its promises.
///
///     let violations = Conformance(of: contender, seed: 1).violations(in: [.publish, .race])
///
/// A service that does nothing by itself holds every request until it is answered, so that each moment of a job can be
/// reached and nothing depends on how fast a machine is. What is posted, and what is answered when and how, is drawn at random
/// as a `Play`; a `Model` of the contract judges every event, and what must come.
public struct Conformance: Sendable {
  /// Of so many seeds in a row the one with the least tried combinations is played.
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

  /// Draws everything random from the seed.
  ///
  /// - Parameters:
  ///   - contender: the one that is verified.
  ///   - context: where the service calls completions; nil: `inline`.
  ///   - seed: what plays are drawn from.
  ///   - patience: how long nothing may happen before a job counts as hung, where that cannot be seen sooner.
  ///   - plays: how many are drawn for each rule, from the seed.
  ///   - schedules: how many are drawn for the last rule of each pattern, which is about all of them.
  ///   - mostUploads: how many a large post has.
  ///   - countsLeftovers: whether what the process holds is counted; nothing else may take memory or threads then.
  ///   - isFirstLook: whether plays that take long are left out, and none is played twice: a fraction of a second, in which most
  ///     of what is broken is found.
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

  /// Every rule that the contender breaks, with the first thing that was seen of it in each pattern.
  ///
  /// Blocks the calling thread, which must not be one that the contender's idiom runs on, such as a task's. Patterns
  /// that the contender does not state are left out. Nothing new is begun once the budget is used up, nor with a pattern
  /// whose jobs hang again and again. `progress` is called on the calling thread, before and after each rule and pattern.
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

/// How far the kit has come: one rule in one pattern begins or has ended.
public struct Progress: Sendable, Hashable, Codable {
  /// The rule that is being tried, or has been.
  public let rule: Rule
  /// The pattern that it is tried in; a rule of several patterns is tried in each.
  public let pattern: Pattern
  /// nil as long as it is being tried; then what came to light, which may be about other rules, too.
  public let violations: [Violation]?
}
