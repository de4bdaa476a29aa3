import ClosureTaskUploads
import Conformance
import CoroutineUploads
import Exploration
import FutureUploads
import RawThreads
import ReactiveStreamUploads
import SwiftConcurrencyUploads
import UploadScenario

/// Tries the interleavings of our runtimes one after another: each job runs on one thread, which chooses what happens next
/// among all that could (an answer, a failure, a cancellation, a step of a coroutine, the next timer).
///
/// Small jobs go through all their schedules in order (as stateless model checkers do; Godefroid, "Model Checking for
/// Programming Languages using VeriSoft", 1997), larger ones through random ones, drawn from the seed.
public struct Explorer: Sendable {
  /// Who is explored: a contender, and what it has left to do by itself.
  struct Subject: Sendable {
    let name: String
    let patterns: [Pattern]
    let make: @Sendable () -> (any Contender, any Steps)
  }

  /// A schedule in which a rule was broken.
  public struct Failure: Sendable, Hashable, Codable, CustomStringConvertible {
    public let contender: String
    public let pattern: Pattern
    public let seed: UInt64
    /// The name of the rule.
    public let rule: String
    /// What was seen, and what was promised.
    public let problem: String
    /// What happened, in order.
    public let schedule: [String]

    public var description: String {
      "\(contender) \(pattern.rawValue): \(rule): \(problem), after: \(schedule.joined(separator: ", "))"
    }
  }

  /// What was tried.
  public struct Report: Sendable, Hashable, Codable {
    public var schedules = 0
    /// For how many jobs every possible schedule was tried.
    public var exhausted = 0
    public var jobs = 0
    /// The first of each job.
    public var failures: [Failure] = []
  }

  private let seed: UInt64
  private let subjects: [Subject]

  public init(seed: UInt64) { self.init(seed: seed, subjects: Self.runtimes) }

  init(seed: UInt64, subjects: [Subject]) {
    self.seed = seed
    self.subjects = subjects
  }

  /// The contenders that can be explored.
  public var contenders: [String] { subjects.map(\.name) }

  /// Explores for about `budget`, its parts alike, on the calling thread.
  ///
  /// - Parameter contenders: whom; nil: all.
  public func explore(_ contenders: [String]? = nil, patterns: [Pattern] = Pattern.allCases, budget: Duration)
    -> Report
  {
    var jobs: [Job] = []
    for subject in subjects where contenders?.contains(subject.name) ?? true {
      for pattern in subject.patterns where patterns.contains(pattern) {
        // All schedules of three media can be tried, or nearly all; for seven there are random ones.
        for (media, limit, isSmall) in [(3, 2, true), (7, 3, false)] {
          for limit in pattern.takesLimit ? [nil, limit] : [nil] {
            let scenario = Scenario.explored(pattern, media: media, limit: limit)
            // Made-up bytes can always be read.
            let expectation = try! Expectation(
              scenario: scenario, post: scenario.makePost(), ending: .publication)
            jobs.append(Job(subject: subject, expectation: expectation, isSmall: isSmall))
          }
        }
      }
    }
    var report = Report()
    report.jobs = jobs.count
    let end = MonotonicClock.nanoseconds() + budget.unsignedNanoseconds
    for (number, job) in jobs.enumerated() {
      let now = MonotonicClock.nanoseconds()
      let share = (end - min(now, end)) / UInt64(jobs.count - number)
      explore(job, untilNanoseconds: now + share, &report)
    }
    return report
  }

  private struct Job {
    let subject: Subject
    let expectation: Expectation
    let isSmall: Bool
  }

  private func explore(_ job: Job, untilNanoseconds end: UInt64, _ report: inout Report) {
    let number = UInt64(truncatingIfNeeded: report.schedules)
    let search = Search(
      job.isSmall
        ? .exhaustive(reduced: true)
        : .priorities(seed: SeededGenerator.value(seed: seed, index: Int(number)), changes: 2))
    while search.begin() {
      let (contender, steps) = job.subject.make()
      let run = ScheduledRun(job.expectation, steps, search)
      let breach = run.breach(of: contender)
      report.schedules += 1
      if let breach {
        report.failures.append(failure(of: job, breach, search.choices))
        return
      }
      if report.schedules & 15 == 0, MonotonicClock.nanoseconds() >= end { return }
    }
    if search.isExhausted { report.exhausted += 1 }
  }

  /// The simplest schedule that breaks the same rule, and its story.
  private func failure(of job: Job, _ breach: Breach, _ choices: [Int]) -> Failure {
    func again(_ choices: [Int], isTold: Bool) -> (breach: Breach?, choices: [Int], log: [String]) {
      let search = Search(.following(choices))
      _ = search.begin()
      let (contender, steps) = job.subject.make()
      let run = ScheduledRun(job.expectation, steps, search, isTold: isTold)
      return (run.breach(of: contender), search.choices, run.log ?? [])
    }
    let least = shrunk(choices, tries: 500) { candidate in
      let run = again(candidate, isTold: false)
      return run.breach?.rule == breach.rule ? run.choices : nil
    }
    let last = again(least, isTold: true)
    return Failure(
      contender: job.subject.name, pattern: job.expectation.scenario.pattern, seed: seed,
      rule: breach.rule.rawValue, problem: (last.breach ?? breach).text, schedule: last.log)
  }

  /// What prepares or reads on a queue of Dispatch has more than one thread: only coroutines and tasks bring that along.
  private static let onOneThread: [Pattern] = [.publish, .sequence, .zip, .zipSerial, .race, .resilient]

  static let runtimes: [Subject] =
    [
      Subject(name: "closure-tasks", patterns: onOneThread) { (ClosureTaskUploads(), TimerSteps()) },
      Subject(name: "futures", patterns: onOneThread) { (FutureUploads(), TimerSteps()) },
      Subject(name: "coroutines", patterns: Pattern.allCases) {
        let steps = CoroutineSteps()
        return (CoroutineUploads(scheduler: steps, timer: steps.timer), steps)
      },
      Subject(name: "reactive-streams", patterns: onOneThread) { (ReactiveStreamUploads(), TimerSteps()) },
      // Calls that block have threads of Dispatch.
      Subject(name: "swift-concurrency", patterns: Pattern.allCases.filter { !$0.blocksThreads }) {
        let steps = TaskSteps()
        return (SwiftConcurrencyUploads(clock: steps.virtualClock), steps)
      },
    ]
    + SwiftConcurrencyUploads.variants.filter { !haveThreads.contains($0.name) }.map { variant in
      Subject(name: variant.name, patterns: variant.patterns) { (variant, TaskSteps()) }
    }

  /// Variants whose point is a thread or a pool of their own.
  private static let haveThreads = [
    "swift-concurrency/global-actor", "swift-concurrency/coroutine-pool-executor",
  ]
}

extension Scenario {
  /// What a contender is asked to do in every schedule.
  static func explored(_ pattern: Pattern, media: Int, limit: Int?) -> Scenario {
    var scenario = Scenario(name: pattern.rawValue, pattern: pattern, photos: media, payloadBytes: 16)
    scenario.limit = limit
    scenario.hedgeDelay = .milliseconds(5)
    scenario.retry = RetryPolicy(attempts: 2, attemptDeadline: .milliseconds(40), deadline: .seconds(1))
    if pattern.isChunked {
      (scenario.photos, scenario.payloadBytes, scenario.chunkBytes) = (1, 8 * media, 8)
      (scenario.bufferCapacity, scenario.uploaders) = (1, 2)
    }
    if pattern.blocksThreads { scenario.service = .blocking }
    return scenario
  }
}
