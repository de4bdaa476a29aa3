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

  /// Explores for about `budget`, its parts alike, on the calling thread.
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
    let known = Mutex(Report(jobs: jobs.count))
    let running = Mutex<Job?>(nil)
    let watchdog = Watchdog(journal, stepTime: stepTime) { problem in
      var report = known.withLock(\.self)
      guard let job = running.withLock(\.self) else { return }
      var failure = self.failure(of: job, "ends", problem, [])
      failure.file = ScheduleFile.write(place: job.place, choices: journal.choices, "\(failure)")
      report.failures.append(failure)
      giveUp(report)
    }
    defer {
      watchdog.stop()
      journal.discard()
    }
    let end = MonotonicClock.nanoseconds() + budget.unsignedNanoseconds
    return journal.noting {
      var report = Report(jobs: jobs.count)
      for (number, job) in jobs.enumerated() {
        let now = MonotonicClock.nanoseconds()
        let share = (end - min(now, end)) / UInt64(jobs.count - number)
        running.withLock { $0 = job }
        journal.begin(place: job.place)
        explore(job, untilNanoseconds: now + share, journal, &report)
        known.withLock { [report] in $0 = report }
      }
      return report
    }
  }

  private func explore(_ job: Job, untilNanoseconds end: UInt64, _ journal: Journal, _ report: inout Report) {
    let sampled = Search.Strategy.priorities(
      seed: SeededGenerator.value(seed: seed, index: report.schedules), changes: 2)
    var search = Search(job.isSmall ? .exhaustive(reduced: true) : sampled, journal: journal)
    // What is not exhausted by then has been tried in one corner only: the last quarter goes to random schedules.
    let begin = MonotonicClock.nanoseconds()
    var sampling = job.isSmall ? begin + (max(begin, end) - begin) / 4 * 3 : UInt64.max
    while search.begin() {
      let (contender, steps) = job.subject.make()
      let run = ScheduledRun(job.expectation, steps, search)
      let breach = run.breach(of: contender)
      report.schedules += 1
      if let breach {
        report.failures.append(failure(of: job, breach, search.choices, journal))
        return
      }
      guard report.schedules & 15 == 0 else { continue }
      let now = MonotonicClock.nanoseconds()
      if now >= end { return }
      if now >= sampling { (search, sampling) = (Search(sampled, journal: journal), .max) }
    }
    if search.isExhausted { report.exhausted += 1 }
  }

  /// The simplest schedule that breaks the same rule, its story and its file.
  private func failure(of job: Job, _ breach: Breach, _ choices: [Int], _ journal: Journal) -> Failure {
    let least = shrunk(choices, tries: 500) { candidate in
      let run = follow(job, candidate, journal)
      return run.breach?.rule == breach.rule ? run.choices : nil
    }
    let last = follow(job, least, journal, isTold: true)
    var failure = failure(of: job, last.breach ?? breach, last.log)
    failure.file = ScheduleFile.write(place: job.place, choices: last.choices, "\(failure)")
    return failure
  }

  private func failure(of job: Job, _ breach: Breach, _ log: [String]) -> Failure {
    failure(of: job, breach.rule.rawValue, breach.text, log)
  }

  private func failure(of job: Job, _ rule: String, _ problem: String, _ log: [String]) -> Failure {
    Failure(
      contender: job.subject.name, pattern: job.pattern, seed: seed, rule: rule, problem: problem,
      schedule: log)
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
    let watchdog = Watchdog(journal, stepTime: stepTime) { problem in
      giveUp(failure(of: job, "ends", problem, []))
    }
    defer {
      watchdog.stop()
      journal.discard()
    }
    let last = journal.noting { follow(job, file.choices, journal, isTold: true) }
    return last.breach.map { failure(of: job, $0, last.log) }
  }
}
