import ClosureTaskUploads
import CoroutineUploads
import FutureUploads
import RawThreads
import ReactiveStreamUploads
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

  /// A schedule in which a promise was not kept.
  public struct Finding: Sendable, Hashable, Codable, CustomStringConvertible {
    public let contender: String
    public let pattern: Pattern
    public let seed: UInt64
    public let problem: String
    /// What happened, in order.
    public let schedule: [String]

    public var description: String {
      "\(contender) \(pattern.rawValue): \(problem), after: \(schedule.joined(separator: ", "))"
    }
  }

  /// What was tried.
  public struct Report: Sendable, Hashable, Codable {
    public var schedules = 0
    /// The jobs that all schedules there are were tried of.
    public var exhausted = 0
    public var jobs = 0
    /// The first of each job.
    public var findings: [Finding] = []
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
    var jobs: [(Subject, Shape, isSmall: Bool)] = []
    for subject in subjects where contenders?.contains(subject.name) ?? true {
      for pattern in subject.patterns where patterns.contains(pattern) {
        jobs += Shape.small(pattern).map { (subject, $0, true) }
        jobs += Shape.large(pattern).map { (subject, $0, false) }
      }
    }
    var report = Report()
    report.jobs = jobs.count
    let end = MonotonicClock.nanoseconds() + UInt64(max(0, budget / .nanoseconds(1)))
    for (number, (subject, shape, isSmall)) in jobs.enumerated() {
      let now = MonotonicClock.nanoseconds()
      let share = (end - min(now, end)) / UInt64(jobs.count - number)
      explore(subject, shape, isSmall: isSmall, untilNanoseconds: now + share, &report)
    }
    return report
  }

  private func explore(
    _ subject: Subject, _ shape: Shape, isSmall: Bool, untilNanoseconds end: UInt64, _ report: inout Report
  ) {
    var next: [Int]? = []
    var number: UInt64 = 0
    repeat {
      let seed = SeededGenerator.value(seed: seed, index: Int(number))
      let choices = isSmall ? Choices(following: next ?? []) : Choices(seed: seed)
      let (contender, steps) = subject.make()
      let run = Run(shape, steps, choices)
      let problem = run.problem(of: contender)
      report.schedules += 1
      number += 1
      if let problem {
        report.findings.append(
          Finding(
            contender: subject.name, pattern: shape.scenario.pattern, seed: self.seed, problem: problem,
            schedule: run.log))
        return
      }
      if isSmall {
        next = run.taken.successor
        if next == nil { return report.exhausted += 1 }
      }
    } while MonotonicClock.nanoseconds() < end
  }

  /// What prepares or reads on a queue of Dispatch has more than one thread: only coroutines bring that along.
  private static let onOneThread: [Pattern] = [.publish, .sequence, .zip, .zipSerial, .race, .resilient]

  private static let runtimes = [
    Subject(name: "closure-tasks", patterns: onOneThread) { (ClosureTaskUploads(), TimerSteps()) },
    Subject(name: "futures", patterns: onOneThread) { (FutureUploads(), TimerSteps()) },
    Subject(name: "coroutines", patterns: Pattern.allCases) {
      let steps = CoroutineSteps()
      return (CoroutineUploads(scheduler: steps, timer: steps.timer), steps)
    },
    Subject(name: "reactive-streams", patterns: onOneThread) { (ReactiveStreamUploads(), TimerSteps()) },
  ]
}
