import Conformance
import Exploration
import RawThreads
import Synchronization
import UploadScenario

/// Tries the interleavings of our runtimes one after another: each job runs on one thread, which chooses what happens next
/// among all that could (an answer, a failure, a cancellation, a step of a coroutine, the next timer).
///
/// Small jobs go through all their schedules in order (as stateless model checkers do; Godefroid, "Model Checking for
/// Programming Languages using VeriSoft", 1997), larger ones through random ones, drawn from the seed.
public struct Explorer: Sendable {
  private let seed: UInt64
  let subjects: [Subject]
  /// A step that takes longer does not come back.
  private let stepTime: Duration

  public init(seed: UInt64) { self.init(seed: seed, subjects: Self.runtimes) }

  init(seed: UInt64, subjects: [Subject], stepTime: Duration = .seconds(4)) {
    (self.seed, self.subjects, self.stepTime) = (seed, subjects, stepTime)
  }

  /// The contenders that can be explored.
  public var contenders: [String] { subjects.map(\.name) }

  /// Explores for about `budget` on the calling thread. Three quarters of it are for small jobs, in turns, until all of their schedules
  /// have been tried; what is not through by then has been tried in one corner only, and takes part in the rest: random schedules.
  ///
  /// - Parameters:
  ///   - contenders: whom; nil: all.
  ///   - patterns: in which patterns.
  ///   - budget: for how long.
  ///   - giveUp: told on another thread what there is if a step does not come back; the calling one stays behind in it.
  /// - Returns: what was tried and found.
  public func explore(
    _ contenders: [String]? = nil, patterns: [Pattern] = Pattern.allCases, budget: Duration,
    giveUp: @escaping @Sendable (Report) -> Void = { _ in }
  ) -> Report {
    let jobs = jobs(contenders, patterns)
    let journal = Journal(place: "")
    let state = Mutex((report: Report(jobs: jobs.count), job: Job?.none))
    let nanoseconds = budget.unsignedNanoseconds
    let begin = MonotonicClock.nanoseconds()
    var exhausted: Set<String> = []
    /// Whether it is over: all schedules were tried, or one has failed.
    func explore(_ job: Job, _ search: Search, forNanoseconds share: UInt64) -> Bool {
      state.withLock { $0.job = job }
      journal.begin(place: job.place)
      let (seen, failure) = self.explore(
        job, search, untilNanoseconds: MonotonicClock.nanoseconds() + share, journal)
      state.withLock {
        $0.report.schedules += seen
        if let failure { $0.report.failures.append(failure) }
        if search.isExhausted { $0.report.exhausted += 1 }
      }
      if search.isExhausted { exhausted.insert(job.place) }
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
      var small = jobs.filter(\.isSmall).map { ($0, Search(.exhaustive(reduced: true), journal: journal)) }
      let turn = nanoseconds / UInt64(16 * max(1, small.count))
      while !small.isEmpty, MonotonicClock.nanoseconds() < begin + nanoseconds / 4 * 3 {
        small.removeAll { explore($0, $1, forNanoseconds: turn) }
      }
      let sampled = small.map(\.0) + jobs.filter { !$0.isSmall }
      for (number, job) in sampled.enumerated() {
        let seed = SeededGenerator.value(seed: seed, index: state.withLock(\.report.schedules))
        let now = MonotonicClock.nanoseconds()
        let left = begin + nanoseconds - min(now, begin + nanoseconds)
        _ = explore(
          job, Search(.priorities(seed: seed, changes: 2), journal: journal),
          forNanoseconds: left / UInt64(sampled.count - number))
      }
      var report = state.withLock(\.report)
      report.coverage = coverage(jobs.filter(\.isSmall), exhausted)
      return report
    }
  }

  private func coverage(_ jobs: [Job], _ exhausted: Set<String>) -> [String] {
    subjects.compactMap { subject in
      let jobs = jobs.filter { $0.subject.name == subject.name }
      func names(_ isExhausted: Bool) -> String {
        jobs.filter { exhausted.contains($0.place) == isExhausted }.map(\.name).joined(separator: "; ")
      }
      if jobs.isEmpty { return nil }
      let (all, some) = (names(true), names(false))
      return "\(subject.name): \(all.isEmpty ? "none" : all)\(some.isEmpty ? "" : ". Not: \(some)")"
    }
  }

  private func explore(_ job: Job, _ search: Search, untilNanoseconds end: UInt64, _ journal: Journal) -> (
    schedules: Int, failure: Failure?
  ) {
    let before = search.schedules
    while search.begin() {
      let (contender, steps) = job.subject.make()
      let breach = ScheduledRun(job.expectation, steps, search).breach(of: contender)
      if let breach { return (search.schedules - before, failure(of: job, breach, search.choices, journal)) }
      if search.schedules & 15 == 0, MonotonicClock.nanoseconds() >= end { break }
    }
    return (search.schedules - before, nil)
  }

  /// The simplest schedule that breaks the same rule, its story and its file.
  private func failure(of job: Job, _ breach: Breach, _ choices: [Int], _ journal: Journal) -> Failure {
    let least = shrunk(choices, tries: 500) { candidate in
      let run = follow(job, candidate, journal)
      return run.breach?.rule == breach.rule ? run.choices : nil
    }
    let last = follow(job, least, journal, isTold: true)
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
    _ job: Job, _ choices: [Int], _ journal: Journal, isTold: Bool = false
  ) -> (breach: Breach?, choices: [Int], log: [String]) {
    let search = Search(.following(choices), journal: journal)
    _ = search.begin()
    let (contender, steps) = job.subject.make()
    let run = ScheduledRun(job.expectation, steps, search, isTold: isTold)
    return (run.breach(of: contender), search.choices, run.log ?? [])
  }

  /// A file of no job that is known here.
  public struct UnknownJob: Error, CustomStringConvertible {
    let place: String
    public var description: String { "nothing is known here of “\(place)”" }
  }

  /// Follows the schedule of a file, on the calling thread.
  ///
  /// - Parameters:
  ///   - file: what a failure has left, or a crash.
  ///   - giveUp: told on another thread if a step does not come back.
  /// - Returns: what fails in it, with its story; nil: nothing does.
  public func replay(_ file: ScheduleFile, giveUp: @escaping @Sendable (Failure) -> Void) throws(UnknownJob)
    -> Failure?
  {
    guard let job = jobs(nil, Pattern.allCases).first(where: { $0.place == file.place }) else {
      throw UnknownJob(place: file.place)
    }
    let journal = Journal(place: file.place)
    let last = journal.watched(stepTime: stepTime) { problem in
      giveUp(failure(of: job, .ends, problem))
    } during: { _ in
      follow(job, file.choices, journal, isTold: true)
    }
    return last.breach.map { failure(of: job, $0.rule, $0.text, last.log) }
  }
}

extension Explorer {
  /// A schedule in which a rule was broken.
  public struct Failure: Sendable, Hashable, CustomStringConvertible {
    public let contender: String
    public let pattern: Pattern
    /// The name of the rule.
    public let rule: String
    /// What was seen, and what was promised.
    public let problem: String
    /// What happened, in order.
    public let schedule: [String]
    /// What replays it.
    public var file: String?

    public var description: String {
      "\(contender) \(pattern.rawValue): \(rule): \(problem), after: \(schedule.joined(separator: ", "))"
    }

    /// The same over several lines.
    public var story: String {
      let lines = schedule.enumerated().map { "\n      \($0.offset + 1). \($0.element)" }.joined()
      return "\(contender) \(pattern.rawValue): \(rule): \(problem), after:\(lines)"
    }
  }

  /// What was tried.
  public struct Report: Sendable, Hashable {
    public var schedules = 0
    /// For how many jobs every possible schedule was tried.
    public var exhausted = 0
    public var jobs = 0
    /// Of each contender, of which jobs of three uploads every schedule was tried, and of which not.
    public var coverage: [String] = []
    /// The first of each job.
    public var failures: [Failure] = []
  }
}
