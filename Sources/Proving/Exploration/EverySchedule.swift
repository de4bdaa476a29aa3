import Dispatch
import Synchronization

/// Runs `body` under every schedule, or as many as the budget allows, on the calling thread; throws the first in which it fails,
/// shrunk: one that deviates as little as possible from running everything in the order in which it became ready.
///
/// A schedule fails in which the body throws, waits for what nobody will do, does not end, or does something where it cannot be
/// told when to: on another thread, on the main actor, by the real clock. It is run anew for each schedule, and must make
/// anew what it changes.
///
/// All is sequentially consistent from one suspension to the next: data races within a step are for Thread Sanitizer.
///
///     try await everySchedule { exploration in
///       let counter = Counter()
///       async let one: Void = counter.add(1)
///       async let two: Void = counter.add(1)
///       _ = await (one, two)
///       guard await counter.value == 2 else { throw Wrong() }
///     }
///
/// With `FANOUT_SCHEDULE` in the environment, a schedule that this call has written to a file runs alone; so does one of which a crash
/// has left the file.
///
/// - Parameters:
///   - budget: how much is tried.
///   - seed: what random schedules are drawn from.
///   - choices: one schedule only, as a failure prints it.
///   - problem: asked after each schedule whether something else has failed in it, and what.
///   - fileID: where this is; with the line, what a schedule's file names.
///   - line: where this is.
///   - body: what is tried; it is given what it may sleep by, and tell its steps to.
/// - Returns: what was tried.
@discardableResult
public func everySchedule(
  _ budget: ScheduleBudget = .standard, seed: UInt64 = 1, following choices: String? = nil,
  orProblem problem: @escaping @Sendable () -> String? = { nil }, fileID: String = #fileID, line: Int = #line,
  _ body: @escaping @Sendable (ScheduleContext) async throws -> Void
) async throws -> ScheduleReport {
  let place = "\(fileID):\(line)"
  // A file's schedule is told line by line: it may be one in which the process ends.
  var (followed, isLive) = (choices.map { ScheduleFile.choices($0) }, false)
  if let path = ScheduleFile.environment(ScheduleFile.variable), followed == nil {
    let file = try ScheduleFile(path: path)
    if file.place == place { (followed, isLive) = (file.choices, true) }
  }
  return try await withCheckedThrowingContinuation { [followed, isLive] continuation in
    let answer = FirstAnswer(continuation)
    // A task, as the tasks that are explored take its task-local values; and one of its own, which stays behind if a step does not
    // come back.
    Task(executorPreference: OwnThread()) {
      let run = BodyRun(body, budget, seed: seed, place: place, problem)
      answer.give(run.result(following: followed, Story(isLive: isLive)) { answer.give(.failure($0)) })
    }
  }
}

/// The same for a body that neither sleeps nor tells its steps.
@discardableResult
public func everySchedule(
  _ budget: ScheduleBudget = .standard, seed: UInt64 = 1, following choices: String? = nil,
  fileID: String = #fileID, line: Int = #line, _ body: @escaping @Sendable () async throws -> Void
) async throws -> ScheduleReport {
  try await everySchedule(budget, seed: seed, following: choices, fileID: fileID, line: line) { _ in
    try await body()
  }
}

/// A thread that whoever explores may keep: those of the cooperative pool are for others.
private final class OwnThread: TaskExecutor {
  private let queue = DispatchQueue(label: "exploration")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Whoever is first answers: who explores, or the watchdog.
private final class FirstAnswer<Value: Sendable>: Sendable {
  private let waiting: Mutex<CheckedContinuation<Value, any Error>?>

  init(_ continuation: CheckedContinuation<Value, any Error>) { waiting = Mutex(continuation) }

  func give(_ result: Result<Value, any Error>) { waiting.withLock { $0.take() }?.resume(with: result) }
}

extension BodyRun {
  /// Explores on the calling thread.
  ///
  /// - Parameter giveUp: told on another thread if this one does not come back.
  fileprivate func result(
    following choices: [Int]?, _ story: Story, giveUp: @escaping @Sendable (ScheduleFailure) -> Void
  ) -> Result<ScheduleReport, any Error> {
    Result {
      try journal.watched(stepTime: budget.stepTime) { [journal, place] problem in
        var failure = ScheduleFailure(problem, journal.choices, story.lines, schedules: journal.schedules)
        failure.isAtWork = true
        giveUp(failure.written(place: place))
      } during: { watchdog in
        do {
          guard let choices else { return try all(watchdog) }
          let outcome = run(following: choices, story)
          guard let problem = outcome.problem else { return ScheduleReport(schedules: 1) }
          throw ScheduleFailure(problem, outcome.choices, outcome.story, schedules: 1)
        } catch let failure as ScheduleFailure {
          throw choices == nil ? failure.written(place: place) : failure
        }
      }
    }
  }

  private func all(_ watchdog: Watchdog) throws -> ScheduleReport {
    var report = ScheduleReport()
    let start = ContinuousClock.now
    // All schedules, for half the time; then those that priorities choose and random ones, in turns.
    let end = start + budget.time
    var searches = [Search(.exhaustive(reduced: false), journal: journal)]
    var next = 0
    var until = start + budget.time / 2
    while true {
      let search = searches[next % searches.count]
      next += 1
      guard search.begin() else {
        if search.hasDiverged {
          throw ScheduleFailure(Self.diverged, search.choices, [], schedules: report.schedules)
        }
        report.isExhausted = true
        break
      }
      report.schedules += 1
      if let problem = run(search), !search.hasDiverged, !watchdog.hasGivenUp {
        throw shrunk(problem, search.choices, schedules: report.schedules)
      }
      guard report.schedules < budget.schedules, !watchdog.hasGivenUp else { break }
      if report.schedules & 7 == 0 || budget.time < .seconds(1) {
        let now = ContinuousClock.now
        if now >= end { break }
        if now >= until {
          until = end
          searches = [
            Search(.priorities(seed: seed, changes: 2), journal: journal),
            Search(.uniform(seed: seed), journal: journal),
          ]
        }
      }
    }
    return report
  }
}

/// How much of the schedules of a body is tried.
public struct ScheduleBudget: Sendable, Hashable {
  /// For how long.
  public var time: Duration
  /// How many at most.
  public var schedules: Int
  /// How many steps one may have until it counts as endless.
  public var steps: Int
  /// How long one step may take until it counts as one that does not come back.
  public var stepTime: Duration

  /// A budget; what does not suffice for all schedules goes to random ones, too.
  public init(
    time: Duration = .seconds(10), schedules: Int = .max, steps: Int = 10_000,
    stepTime: Duration = .seconds(10)
  ) {
    (self.time, self.schedules, self.steps, self.stepTime) = (time, schedules, steps, stepTime)
  }

  /// Ten seconds.
  public static let standard = ScheduleBudget()

  /// So long.
  public static func time(_ time: Duration) -> Self { Self(time: time) }

  /// So many.
  public static func schedules(_ count: Int) -> Self { Self(time: .seconds(3_600), schedules: count) }
}

/// What was tried of a body.
public struct ScheduleReport: Sendable, Hashable {
  /// How many schedules ran.
  public var schedules = 0
  /// All that there are were tried.
  public var isExhausted = false
}

/// A schedule in which a body failed.
public struct ScheduleFailure: Error, CustomStringConvertible {
  /// What was wrong.
  public let problem: String
  /// What was chosen, wherever there was a choice: replays the schedule.
  public let choices: [Int]
  /// What happened, in order.
  public let story: [String]
  /// How many schedules had been tried.
  public let schedules: Int
  /// Where the schedule is kept; nil: it could not be written, or it was followed and not found.
  public internal(set) var file: String?
  /// The step that does not come back is left behind as it is.
  package var isAtWork = false

  private static let mostLines = 100

  init(_ problem: String, _ choices: [Int], _ story: [String], schedules: Int) {
    (self.problem, self.choices, self.story, self.schedules) = (problem, choices, story, schedules)
  }

  /// With a file beside those of other places.
  func written(place: String) -> ScheduleFailure {
    var failure = self
    failure.file = ScheduleFile.write(place: place, choices: choices, description)
    return failure
  }

  public var description: String {
    let steps = story.enumerated().suffix(Self.mostLines).map { "  \($0.offset + 1). \($0.element)\n" }
      .joined()
    let again = choices.map(String.init).joined(separator: " ")
    let command = file.map { ", or with \(ScheduleFile.variable)=\($0) in the environment" } ?? ""
    return "in schedule \(schedules): \(problem)\n\(steps)Replay it with following: \"\(again)\"\(command)"
  }
}
