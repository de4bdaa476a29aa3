import CJobHooks
import Dispatch
import Synchronization

/// How much of the schedules of a body is tried.
public struct ScheduleBudget: Sendable, Hashable {
  /// For how long.
  public var time: Duration
  /// How many at most.
  public var schedules: Int
  /// How many steps one may have until it counts as endless.
  public var steps: Int

  /// A budget; what does not suffice for all schedules goes to random ones, too.
  public init(time: Duration = .seconds(10), schedules: Int = .max, steps: Int = 10_000) {
    (self.time, self.schedules, self.steps) = (time, schedules, steps)
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
  /// How many of them ended early, since others that were tried differ from them only in the order of independent steps.
  public var redundant = 0
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

  private static let mostLines = 100

  public var description: String {
    let steps = story.enumerated().suffix(Self.mostLines).map { "  \($0.offset + 1). \($0.element)" }
      .joined(separator: "\n")
    let again = choices.map(String.init).joined(separator: " ")
    return "in schedule \(schedules): \(problem)\n\(steps)\nReplay it with following: \"\(again)\""
  }
}

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
/// - Parameters:
///   - budget: how much is tried.
///   - seed: what random schedules are drawn from.
///   - choices: one schedule only, as a failure prints it.
///   - problem: asked after each schedule whether something else has failed in it, and what.
///   - body: what is tried; it is given what it may sleep by, and tell its steps to.
/// - Returns: what was tried.
@discardableResult
public func everySchedule(
  _ budget: ScheduleBudget = .standard, seed: UInt64 = 1, following choices: String? = nil,
  orProblem problem: @escaping @Sendable () -> String? = { nil },
  _ body: @escaping @Sendable (ScheduleContext) async throws -> Void
) async throws -> ScheduleReport {
  // The caller's task goes there itself: the tasks that are explored take its task-local values.
  try await withTaskExecutorPreference(OwnThread()) {
    try explore(budget, seed, choices.map(parse), problem, body)
  }
}

/// The same for a body that neither sleeps nor tells its steps.
@discardableResult
public func everySchedule(
  _ budget: ScheduleBudget = .standard, seed: UInt64 = 1, following choices: String? = nil,
  _ body: @escaping @Sendable () async throws -> Void
) async throws -> ScheduleReport {
  try await everySchedule(budget, seed: seed, following: choices) { _ in try await body() }
}

/// A thread that whoever explores may keep: those of the cooperative pool are for others.
private final class OwnThread: TaskExecutor {
  private let queue = DispatchQueue(label: "exploration")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

private func parse(_ choices: String) -> [Int] {
  choices.split { !$0.isNumber }.compactMap { Int($0) }
}

/// What a body may use in a schedule.
public final class ScheduleContext: Sendable {
  /// That of the body that runs; nil outside of any, and in detached tasks.
  @TaskLocal public static var current: ScheduleContext?
  /// A clock that moves on when nothing else can go on.
  public let clock = VirtualClock()
  let queue = StepQueue()
  private let notes = Mutex<[String]?>(nil)

  /// Tells the story of a schedule what has just happened.
  public func note(_ text: @autoclosure () -> String) {
    guard notes.withLock({ $0 != nil }) else { return }
    let text = text()
    notes.withLock { $0?.append(text) }
  }

  /// The executor of an actor whose messages are to be steps, one each.
  public func makeExecutor() -> SteppedExecutor { SteppedExecutor(queue) }

  func beginNotes(_ areKept: Bool) { notes.withLock { $0 = areKept ? [] : nil } }
  func takeNotes() -> [String] {
    notes.withLock { notes in
      defer { if notes != nil { notes = [] } }
      return notes ?? []
    }
  }
}

private func explore(
  _ budget: ScheduleBudget, _ seed: UInt64, _ choices: [Int]?, _ problem: @escaping () -> String?,
  _ body: @escaping @Sendable (ScheduleContext) async throws -> Void
) throws -> ScheduleReport {
  let run = BodyRun(body, steps: budget.steps, problem)
  if let choices {
    let outcome = run.run(following: choices)
    guard let problem = outcome.problem else { return ScheduleReport(schedules: 1) }
    throw ScheduleFailure(problem: problem, choices: outcome.choices, story: outcome.story, schedules: 1)
  }
  var report = ScheduleReport()
  let start = ContinuousClock.now
  // All schedules, for half the time; then those that priorities choose and random ones, in turns.
  let end = start + budget.time
  var searches = [Search(.exhaustive(reduced: false))]
  var next = 0
  var until = start + budget.time / 2
  while true {
    let search = searches[next % searches.count]
    next += 1
    guard search.begin() else {
      if search.hasDiverged {
        throw ScheduleFailure(
          problem: diverged, choices: search.choices, story: [], schedules: report.schedules)
      }
      report.isExhausted = true
      break
    }
    report.schedules += 1
    if let problem = run.run(search), !search.hasDiverged {
      throw run.shrunk(problem, search.choices, schedules: report.schedules)
    }
    guard report.schedules < budget.schedules else { break }
    if report.schedules & 7 == 0 || budget.time < .seconds(1) {
      let now = ContinuousClock.now
      if now >= end { break }
      if now >= until {
        until = end
        searches = [Search(.priorities(seed: seed, changes: 2)), Search(.uniform(seed: seed))]
      }
    }
  }
  return report
}

private let diverged =
  "the same choices led elsewhere: the body depends on something else than its schedule, as a random number, the time or what an earlier run has left"

private let stuck =
  "nothing is left that can go on, and the body has not ended: somebody waits for what nobody will do, or for something outside, as a sleep by the real clock, the main actor or a thread"

/// Runs one body again and again.
private final class BodyRun {
  private final class Ending: @unchecked Sendable {
    // Invariant: touched by the thread that explores only, or before it looks: the root task runs there.
    var result: Result<Void, any Error>?
  }

  private let body: @Sendable (ScheduleContext) async throws -> Void
  private let mostSteps: Int
  private let otherProblem: () -> String?
  private var exploration = ScheduleContext()
  /// How many milliseconds somebody outside has to do something: long once, as the same is asked again when a failure is shrunk.
  private var mostWaits = 100

  init(
    _ body: @escaping @Sendable (ScheduleContext) async throws -> Void, steps: Int,
    _ problem: @escaping () -> String?
  ) {
    (self.body, mostSteps, otherProblem) = (body, steps, problem)
  }

  struct Outcome {
    let problem: String?
    let choices: [Int]
    let story: [String]
  }

  func run(following choices: [Int]) -> Outcome {
    let search = Search(.following(choices))
    _ = search.begin()
    var story: [String] = []
    let problem = run(search) { story.append($0) }
    return Outcome(problem: problem, choices: search.choices, story: story)
  }

  /// Runs one schedule; returns what was wrong with it.
  func run(_ search: Search, tell: ((String) -> Void)? = nil) -> String? {
    let exploration = exploration
    let queue = exploration.queue
    exploration.beginNotes(tell != nil)
    let ending = Ending()
    let problem = queue.catching { () -> String? in
      queue.begin(Step(id: 1))
      let task = Task(executorPreference: queue) { [body] in
        do {
          try await ScheduleContext.$current.withValue(exploration) { try await body(exploration) }
          ending.result = .success(())
        } catch { ending.result = .failure(error) }
      }
      let problem = go(search, exploration, ending, tell)
      if problem != nil { clear(task, exploration) }
      return problem
    }
    if problem == nil, exploration.clock.sleeperCount == 0 {
      queue.reset()
      exploration.clock.reset()
    } else {
      // What is left of a schedule that failed may come back later, and not into the next one: its queue is kept for good.
      _ = Unmanaged.passRetained(exploration)
      self.exploration = ScheduleContext()
    }
    let other = otherProblem()
    return other ?? problem
  }

  private func go(
    _ search: Search, _ exploration: ScheduleContext, _ ending: Ending, _ tell: ((String) -> Void)?
  ) -> String? {
    let queue = exploration.queue
    var count = 0
    var lanes: [UInt64] = []
    while true {
      if let escape = queue.escape { return escape.rawValue }
      if queue.steps.isEmpty {
        if exploration.clock.sleeperCount > 0 {
          queue.begin(Step(id: UInt64(count) << 8 | 2))
          exploration.clock.advance()
          tell?("the clock moves to \(exploration.clock.now.offset)")
          continue
        }
        if let result = ending.result {
          if case .failure(let error) = result { return "the body threw \(error)" }
          return nil
        }
        if queue.adoptForeign() { continue }
        // Somebody outside may be about to make it go on: then that is to be told.
        for _ in 0..<mostWaits {
          sleepMillisecond()
          if queue.adoptForeign() { break }
        }
        mostWaits = 2
        if queue.escape != nil { continue }
        return stuck
      }
      count += 1
      if count > mostSteps { return "\(mostSteps) steps without an end" }
      guard let choice = search.choose(of: queue.steps) else {
        return diverged
      }
      if let tell {
        let lane = queue.steps[choice].lane
        let isNew = !lanes.contains(lane)
        if isNew, queue.isTask(lane) { lanes.append(lane) }
        let number = lanes.firstIndex(of: lane) ?? lanes.count
        let isTask = queue.isTask(lane)
        let ready = queue.steps.count == 1 ? "" : ", of \(queue.steps.count) that are ready"
        queue.run(at: choice)
        let notes = exploration.takeNotes()
        tell(
          "\(number == 0 ? "the body" : isTask ? "task \(number)" : "an actor, or who has yielded,") \(isTask && isNew ? "starts" : "goes on")\(ready)"
            + (notes.isEmpty ? "" : ": \(notes.joined(separator: ", "))"))
      } else {
        queue.run(at: choice)
      }
      search.ran(.everything)
    }
  }

  /// Lets what has failed end, if cancellation makes it.
  private func clear(_ task: Task<Void, Never>, _ exploration: ScheduleContext) {
    task.cancel()
    var count = 0
    while count < 1_000 {
      count += 1
      if !exploration.queue.steps.isEmpty {
        exploration.queue.run(at: 0)
      } else if exploration.clock.sleeperCount > 0 {
        exploration.clock.advance()
      } else {
        return
      }
    }
  }

  private func sleepMillisecond() { job_sleep_millisecond() }

  /// The failure, with the simplest schedule that fails the same way.
  func shrunk(_ problem: String, _ choices: [Int], schedules: Int) -> ScheduleFailure {
    let first = run(following: choices)
    guard first.problem == problem else {
      return ScheduleFailure(
        problem: "\(problem); and again, \(first.problem ?? "it passed"): \(diverged)", choices: choices,
        story: first.story, schedules: schedules)
    }
    let least = Exploration.shrunk(choices) { candidate in
      let outcome = run(following: candidate)
      return outcome.problem == problem ? outcome.choices : nil
    }
    return ScheduleFailure(
      problem: problem, choices: least, story: run(following: least).story, schedules: schedules)
  }
}
