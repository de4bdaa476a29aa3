import ClosureTaskUploads
import Conformance
import CoroutineUploads
import Exploration
import FutureUploads
import RawThreads
import ReactiveStreamUploads
import SwiftConcurrencyUploads
import Synchronization
import UploadScenario

/// Tries the interleavings (schedules) in which contenders can publish a few uploads. A job, such as three uploads in the
/// pattern `publish`, runs on one thread, and every event is chosen: a service's answer, a failure, a cancellation, a step of a
/// coroutine or task, or the next timer.
///
/// Small jobs run under all schedules (stateless model checking; Godefroid, "Model Checking for Programming Languages using
/// VeriSoft", 1997). Large jobs run under random schedules.
public struct Explorer: Sendable {
  private let seed: UInt64
  let subjects: [Subject]
  private let stepTime: Duration

  /// Creates an explorer of this package's contenders. Random interleavings are generated from the seed.
  public init(seed: UInt64) { self.init(seed: seed, subjects: Self.runtimes) }

  init(seed: UInt64, subjects: [Subject], stepTime: Duration = .seconds(4)) {
    (self.seed, self.subjects, self.stepTime) = (seed, subjects, stepTime)
  }

  /// The names of the contenders whose interleavings can be tried.
  public var contenders: [String] { subjects.map(\.name) }

  /// Tries interleavings on the calling thread for about the time `budget`. Three quarters are for all interleavings of small
  /// jobs. The rest is for random ones of large jobs, and of small jobs that have too many.
  ///
  /// If a step hangs, another thread calls `giveUp` with the report. The calling thread never returns from that step.
  public func explore(
    _ contenders: [String]? = nil, patterns: [Pattern] = Pattern.allCases, budget: Duration,
    giveUp: @escaping @Sendable (Report) -> Void = { _ in }
  ) -> Report {
    let jobs = jobs(contenders, patterns)
    let journal = Journal(place: "", replayedBy: "bench verify --replay ")
    let coverage = jobs.filter(\.isSmall).map { Coverage(contender: $0.subject.name, job: $0.name) }
    let state = Mutex((report: Report(jobs: jobs.count, coverage: coverage), job: Job?.none))
    let nanoseconds = budget.unsignedNanoseconds
    let begin = MonotonicClock.nanoseconds()
    /// Tries interleavings of one job. Returns true if the job needs no more time: all its interleavings ran, or one failed.
    func explore(_ job: Job, _ run: ScheduledRun, forNanoseconds share: UInt64) -> Bool {
      let search = run.search
      state.withLock { $0.job = job }
      journal.begin(place: job.place)
      let (seen, failure) = self.explore(
        job, run, untilNanoseconds: MonotonicClock.nanoseconds() + share, journal)
      state.withLock {
        $0.report.schedules += seen
        if let failure { $0.report.failures.append(failure) }
        let index = $0.report.coverage.firstIndex { ($0.contender, $0.job) == (job.subject.name, job.name) }
        if let index, job.isSmall { $0.report.coverage[index].isExhausted = search.isExhausted }
      }
      return failure != nil || search.isExhausted || search.hasDiverged
    }
    return journal.watched(stepTime: stepTime) { problem in
      var (report, job) = state.withLock(\.self)
      guard let job else { return }
      var failure = failure(of: job, .ends, problem)
      failure.file = ScheduleFile.write(place: job.place, choices: journal.choices, "\(failure)")
      report.failures.append(failure)
      giveUp(report)
    } during: { _ in
      var small = jobs.filter(\.isSmall).map { ($0, run(of: $0, .exhaustive(reduced: true), journal)) }
      let (turn, end) = (nanoseconds / UInt64(16 * max(1, small.count)), begin + nanoseconds / 4 * 3)
      var (turns, sampled) = (0.0, jobs.filter { !$0.isSmall })
      while !small.isEmpty, MonotonicClock.nanoseconds() < end {
        turns += 1
        small.removeAll { job, run in
          if explore(job, run, forNanoseconds: turn) { return true }
          let left = Double(end - min(end, MonotonicClock.nanoseconds())) / Double(turn)
          guard Self.isHopeless(run.search.progress, turns: turns, left: left) else { return false }
          sampled.append(job)
          return true
        }
      }
      sampled += small.map(\.0)
      for (number, job) in sampled.enumerated() {
        let seed = SeededGenerator.value(seed: seed, index: state.withLock(\.report.schedules))
        let now = MonotonicClock.nanoseconds()
        let left = begin + nanoseconds - min(now, begin + nanoseconds)
        _ = explore(
          job, run(of: job, .priorities(seed: seed, changes: 2), journal),
          forNanoseconds: left / UInt64(sampled.count - number))
      }
      return state.withLock(\.report)
    }
  }

  /// Whether a search has no chance to finish in the time that is left. Since it skips known states, it may end thousands of
  /// times sooner than its progress suggests.
  static func isHopeless(_ progress: Double, turns: Double, left: Double) -> Bool {
    progress * left * 100_000 < turns * turns
  }

  private func run(
    of job: Job, _ strategy: Search.Strategy, _ journal: Journal, keepsLog: Bool = false
  ) -> ScheduledRun {
    ScheduledRun(job.expectation, job.subject, Search(strategy, journal: journal), keepsLog: keepsLog)
  }

  private func explore(_ job: Job, _ run: ScheduledRun, untilNanoseconds end: UInt64, _ journal: Journal) -> (
    schedules: Int, failure: Failure?
  ) {
    let search = run.search
    let before = search.schedules
    while search.begin() {
      if let breach = run.breach() {
        return (search.schedules - before, failure(of: job, breach, search.choices, journal))
      }
      if search.schedules & 15 == 0, MonotonicClock.nanoseconds() >= end { break }
    }
    return (search.schedules - before, nil)
  }

  private func failure(of job: Job, _ breach: Breach, _ choices: [Int], _ journal: Journal) -> Failure {
    let least = shrunk(choices, tries: 500) { candidate in
      let run = follow(job, candidate, journal)
      return run.breach?.rule == breach.rule ? run.choices : nil
    }
    let last = follow(job, least, journal, keepsLog: true)
    let seen = last.breach ?? breach
    var failure = failure(of: job, seen.rule, seen.text, last.log)
    failure.file = ScheduleFile.write(place: job.place, choices: last.choices, "\(failure)")
    return failure
  }

  private func failure(of job: Job, _ rule: Promise, _ problem: String, _ log: [String] = []) -> Failure {
    Failure(
      contender: job.subject.name, pattern: job.pattern, rule: rule.rawValue, problem: problem, schedule: log)
  }

  private func follow(
    _ job: Job, _ choices: [Int], _ journal: Journal, keepsLog: Bool = false
  ) -> (breach: Breach?, choices: [Int], log: [String]) {
    let run = run(of: job, .following(choices), journal, keepsLog: keepsLog)
    _ = run.search.begin()
    return (run.breach(), run.search.choices, run.log ?? [])
  }

  /// The error for a file to replay that names a job unknown to this build.
  public struct UnknownJob: Error, CustomStringConvertible {
    let place: String
    public var description: String {
      "this build has no job “\(place)”: replay the file with the build that wrote it"
    }
  }

  /// Replays an interleaving on the calling thread. Returns `nil` if it passes. If a step hangs, another thread calls `giveUp`.
  public func replay(_ file: ScheduleFile, giveUp: @escaping @Sendable (Failure) -> Void) throws(UnknownJob)
    -> Failure?
  {
    guard let job = jobs(nil, Pattern.allCases).first(where: { $0.place == file.place }) else {
      throw UnknownJob(place: file.place)
    }
    let journal = Journal(place: file.place, replayedBy: "bench verify --replay ")
    let last = journal.watched(stepTime: stepTime) { problem in
      giveUp(failure(of: job, .ends, problem))
    } during: { _ in
      follow(job, file.choices, journal, keepsLog: true)
    }
    return last.breach.map { failure(of: job, $0.rule, $0.text, last.log) }
  }
}

extension Explorer {
  /// An interleaving in which a contender broke a rule, such as `first-failure`.
  public struct Failure: Sendable, Hashable, CustomStringConvertible {
    /// The contender's name.
    public let contender: String
    /// The pattern of the uploads.
    public let pattern: Pattern
    /// The name of the broken rule.
    public let rule: String
    /// What the contender did, and what was required.
    public let problem: String
    /// What each step of the failed run did, in order.
    public let schedule: [String]
    /// The path of a file that replays the failure. `nil` means that there is no file.
    public var file: String?

    public var description: String {
      "\(contender) \(pattern.rawValue): \(rule): \(problem), after: \(schedule.joined(separator: ", "))"
    }

    /// The failure and its steps, over several lines.
    public var story: String {
      let lines = schedule.enumerated().map { "\n      \($0.offset + 1). \($0.element)" }.joined()
      return "\(contender) \(pattern.rawValue): \(rule): \(problem), after:\(lines)"
    }
  }

  /// A job of three uploads, and whether all its interleavings were tried.
  public struct Coverage: Sendable, Hashable {
    /// The contender's name.
    public let contender: String
    /// The pattern of the uploads and the limit of uploads in flight.
    public let job: String
    /// Whether every interleaving was tried.
    public var isExhausted = false
  }

  /// What an explorer tried and found.
  public struct Report: Sendable, Hashable {
    /// The number of interleavings.
    public var schedules = 0
    /// The number of jobs (contender, pattern, size and limit), including those for which no time was left.
    public var jobs = 0
    /// The coverage of each job of three uploads.
    public var coverage: [Coverage] = []
    /// The first failure of each job.
    public var failures: [Failure] = []
  }
}

extension Explorer {
  /// A contender whose interleavings can be tried. `make` also creates the source of its steps.
  struct Subject: Sendable {
    let name: String
    let patterns: [Pattern]
    let make: @Sendable () -> (any Contender, any Steps)
  }

  struct Job: Sendable {
    let subject: Subject
    let expectation: Expectation
    let isSmall: Bool

    var pattern: Pattern { expectation.scenario.pattern }

    private var limit: String { expectation.scenario.limit.map { ", limit \($0)" } ?? "" }

    var place: String { "\(subject.name) \(pattern.rawValue) of \(isSmall ? 3 : 7)\(limit)" }
    var name: String { pattern.rawValue + limit }
  }

  func jobs(_ contenders: [String]?, _ patterns: [Pattern]) -> [Job] {
    var jobs: [Job] = []
    for subject in subjects where contenders?.contains(subject.name) ?? true {
      for pattern in subject.patterns where patterns.contains(pattern) {
        // Three media files in all interleavings, if there is time; seven in random ones.
        for (media, limit, isSmall) in [(3, 2, true), (7, 4, false)] {
          for limit in pattern.takesLimit ? [nil, limit] : [nil] {
            let scenario = Scenario.explored(pattern, media: media, limit: limit)
            // `try!`: reading synthetic media never fails.
            let expectation = try! Expectation(
              scenario: scenario, post: scenario.makePost(), ending: .publication)
            jobs.append(Job(subject: subject, expectation: expectation, isSmall: isSmall))
          }
        }
      }
    }
    return jobs
  }

  /// The patterns in which every contender runs on one thread. In others, all except coroutines and tasks use Dispatch.
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
      Subject(name: "swift-concurrency", patterns: Pattern.allCases.filter { !$0.blocksThreads }) {
        let steps = TaskSteps(isStructured: true)
        return (SwiftConcurrencyUploads(clock: steps.virtualClock), steps)
      },
    ]
    + SwiftConcurrencyUploads.variants.map { variant in
      Subject(name: variant.name, patterns: variant.patterns) { (variant, TaskSteps(isStructured: false)) }
    }
}

extension Scenario {
  static func explored(_ pattern: Pattern, media: Int, limit: Int?) -> Scenario {
    Scenario(tried: pattern, media) {
      $0.limit = limit
      $0.hedgeDelay = .milliseconds(5)
      $0.retry = RetryPolicy(attempts: 2, attemptDeadline: .milliseconds(40), deadline: .seconds(1))
      ($0.bufferCapacity, $0.uploaders) = (1, 2)
    }
  }
}
