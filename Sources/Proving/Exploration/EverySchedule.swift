import CExploration
import Dispatch
import Synchronization

/// Runs `body` under every schedule, or as many as the budget allows, on the calling thread; throws the first in which it fails,
/// shrunk: one that departs as little as possible from running everything in the order in which it became ready.
///
/// A schedule fails in which the body throws, waits for what no task will do, does not end, leaves a task behind that does not end,
/// or does something where it cannot be controlled: on another thread, or by the real clock. The body runs anew for each schedule,
/// and must make anew what it changes.
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
///   - assumptions: what may be taken for granted. The report names it.
///   - seed: what random schedules are drawn from.
///   - choices: one schedule only, as a failure prints it.
///   - problem: called after each schedule: whether something else has failed in it, and what.
///   - name: what distinguishes this call from others on the same line, as the arguments of a test.
///   - fileID: where this is; with the line, what a schedule's file names. A helper that explores hands on its caller's.
///   - line: where this is.
///   - body: what is tried, with the clock that it may sleep by.
/// - Returns: what was tried.
@discardableResult
public func everySchedule(
  _ budget: ScheduleBudget = .standard, assuming assumptions: ScheduleAssumptions = [], seed: UInt64 = 1,
  following choices: String? = nil, orProblem problem: @escaping @Sendable () -> String? = { nil },
  name: String = "", fileID: String = #fileID, line: Int = #line,
  _ body: @escaping @Sendable (ScheduleContext) async throws -> Void
) async throws -> ScheduleReport {
  let place = "\(fileID):\(line)\(name.isEmpty ? "" : " ")\(name)"
  // A file's schedule is printed line by line: it may be one in which the process ends.
  var (followed, isLive) = (choices.map { ScheduleFile.choices($0) }, false)
  if let path = ScheduleFile.environment(ScheduleFile.variable), followed == nil {
    let file = try ScheduleFile(path: path)
    if file.place == place { (followed, isLive) = (file.choices, true) }
  }
  return try await onOwnThread { [followed, isLive] answer in
    let run = BodyRun(body, budget, assuming: assumptions, seed: seed, place: place) { problem() ?? $0 }
    return run.result(following: followed, Story(isLive: isLive)) { answer(.failure($0)) }
  }
}

/// The same for a body that neither sleeps nor tells its steps.
@discardableResult
public func everySchedule(
  _ budget: ScheduleBudget = .standard, assuming assumptions: ScheduleAssumptions = [], seed: UInt64 = 1,
  following choices: String? = nil, name: String = "", fileID: String = #fileID, line: Int = #line,
  _ body: @escaping @Sendable () async throws -> Void
) async throws -> ScheduleReport {
  try await everySchedule(
    budget, assuming: assumptions, seed: seed, following: choices, name: name, fileID: fileID, line: line
  ) { _ in try await body() }
}

/// Runs `body` on a thread that a step which does not come back may keep. The first result counts: what `body` returns, or gives
/// before to its argument, on any thread.
func onOwnThread<Value: Sendable>(
  _ body:
    @escaping @Sendable (_ answer: @escaping @Sendable (Result<Value, any Error>) -> Void) ->
    Result<Value, any Error>
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    let answer = FirstAnswer(continuation)
    // A task, as the tasks that are explored take its task-local values.
    Task(executorPreference: OwnThread()) { answer.give(body(answer.give)) }
  }
}

/// Those of the cooperative pool are for others.
private final class OwnThread: TaskExecutor {
  private let queue = DispatchQueue(label: "exploration")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// The first answer counts: that of the exploration, or of the watchdog.
private final class FirstAnswer<Value: Sendable>: Sendable {
  private let waiting: Mutex<CheckedContinuation<Value, any Error>?>

  init(_ continuation: CheckedContinuation<Value, any Error>) { waiting = Mutex(continuation) }

  func give(_ result: Result<Value, any Error>) { waiting.withLock { $0.take() }?.resume(with: result) }
}

extension BodyRun {
  /// Explores on the calling thread.
  ///
  /// - Parameter giveUp: called on another thread if this one does not come back.
  fileprivate func result(
    following choices: [Int]?, _ story: Story, giveUp: @escaping @Sendable (ScheduleFailure) -> Void
  ) -> Result<ScheduleReport, any Error> {
    Result {
      try watched(story, giveUp) { watchdog in
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

  /// - Parameter giveUp: called on another thread, with the story, if a step does not come back.
  func watched<Value>(
    _ story: Story, _ giveUp: @escaping @Sendable (ScheduleFailure) -> Void,
    during work: (Watchdog) throws -> Value
  ) rethrows -> Value {
    try journal.watched(stepTime: budget.stepTime) { [journal, place, retold] problem in
      let lines =
        (story.lines.isEmpty ? retold(journal.choices) : story.lines) + ["this step does not come back"]
      var failure = ScheduleFailure(problem, journal.choices, lines, schedules: journal.schedules)
      failure.isAtWork = true
      giveUp(failure.written(place: place))
    } during: {
      try work($0)
    }
  }

  /// The story of a schedule whose last step does not come back: it runs again, on a thread that stays behind in that step, too.
  private var retold: @Sendable ([Int]) -> [String] {
    { [body, budget, assumptions, seed] choices in
      let story = Story()
      Task(executorPreference: OwnThread()) {
        _ = BodyRun(body, budget, assuming: assumptions, seed: seed).run(following: choices, story)
      }
      var lines: [String] = []
      for _ in 0..<20 {
        usleep(50_000)
        if lines.count == story.lines.count, !lines.isEmpty { break }
        lines = story.lines
      }
      return lines
    }
  }

  /// Few departures first, all schedules, those that priorities choose and random ones, in turns from the start.
  func all(_ watchdog: Watchdog) throws -> ScheduleReport {
    var report = ScheduleReport(assumptions: assumptions)
    let end = ContinuousClock.now + budget.time
    let exhaustive = Search(.exhaustive(reduced: assumptions.contains(.actorsOnly)), journal: journal)
    var bounded = Search(.bounded(departures: 0), journal: journal)
    let samples = [
      Search(.priorities(seed: seed, changes: 2), journal: journal),
      Search(.uniform(seed: seed), journal: journal),
    ]
    var turn = 0
    while true {
      let search: Search
      switch turn & 7 {
      case 0, 4: search = report.divergence == nil ? bounded : samples[1]
      case 3: search = samples[0]
      case 6: search = samples[1]
      default: search = report.divergence == nil ? exhaustive : samples[0]
      }
      turn += 1
      guard search.begin() else {
        if search === exhaustive || !search.isCut {
          report.isExhausted = true
          report.schedules = search.schedules - search.redundant
          break
        }
        report.departures = (report.departures ?? -1) + 1
        bounded = Search(.bounded(departures: report.departures! + 1), journal: journal)
        continue
      }
      let redundant = search.redundant
      let problem = run(search)
      if search.hasDiverged { report.divergence = divergence(of: search) }
      if search.redundant == redundant, !search.hasDiverged {
        report.schedules += 1
        if search === samples[0] || search === samples[1] { report.random += 1 }
      }
      if let problem, !watchdog.hasGivenUp {
        throw shrunk(problem, search.choices, schedules: report.schedules)
      }
      guard report.schedules < budget.schedules, !watchdog.hasGivenUp else { break }
      if turn & 7 == 0 || budget.time < .seconds(1), ContinuousClock.now >= end { break }
    }
    if report.isExhausted, !repeats([]) || !repeats(exhaustive.choices) {
      (report.isExhausted, report.divergence) = (false, "the same choices")
    }
    if mayHaveBatched { report.assumptions.insert(.batches) }
    if !seesMessages { report.assumptions.insert(.unseen) }
    return report
  }

  private func divergence(of search: Search) -> String {
    let story = run(following: search.choices).story
    let last = story.prefix(search.depth - 1).last
    return
      "the same \(search.choices.count) choices, after step \(search.depth - 1)\(last.map { " (\($0))" } ?? "")"
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

  /// A budget. What does not suffice for all schedules goes to those of few departures, and to random ones.
  public init(
    time: Duration = .seconds(10), schedules: Int = .max, steps: Int = 10_000,
    stepTime: Duration = .seconds(2)
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

/// What a verdict takes for granted.
public struct ScheduleAssumptions: OptionSet, Sendable, Hashable, CustomStringConvertible {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The clock moves only when nothing else can go on, as on a machine that is never late.
  public static let timersWait = Self(rawValue: 1)
  /// Tasks share state through default actors alone: no locks, no atomics, no streams. Schedules that differ only in the order of
  /// steps on different actors are tried once.
  public static let actorsOnly = Self(rawValue: 2)
  /// A task that the body has made may outlive it, wait without end, or run.
  public static let leftovers = Self(rawValue: 4)
  /// What the body gives to Dispatch or to a thread has no part in it, and resumes no task.
  public static let threads = Self(rawValue: 32)
  /// Reported, not chosen: several tasks that were resumed in one default actor may have gone on in one step.
  public static let batches = Self(rawValue: 8)
  /// Reported, not chosen: on this platform a default actor handles all messages that wait in one step, and tasks without the
  /// executor of the exploration go from actor to actor within a step.
  public static let unseen = Self(rawValue: 16)

  private static let texts: [(Self, String)] = [
    (.timersWait, "timers wait for what is ready"), (.actorsOnly, "tasks share state through actors alone"),
    (.leftovers, "tasks may be left behind"),
    (.threads, "other threads have no part in it"),
    (.batches, "tasks that were resumed together in a default actor go on together"),
    (.unseen, "messages that wait together for a default actor are handled together"),
  ]

  public var description: String {
    Self.texts.filter { contains($0.0) }.map(\.1).joined(separator: "; ")
  }
}

/// What was tried of a body.
public struct ScheduleReport: Sendable, Hashable, CustomStringConvertible {
  /// How many schedules ran, or how many there are.
  public var schedules = 0
  /// All that there are of suspension points were tried, under the assumptions. Between the locks of a step there are more.
  public var isExhausted = false
  /// All schedules were tried that depart so often from the order in which steps became ready.
  public var departures: Int?
  /// How many of them were random.
  public var random = 0
  /// What the verdict rests on.
  public var assumptions: ScheduleAssumptions = []
  /// Where the same choices led elsewhere; nil: nowhere.
  public var divergence: String?

  public var description: String {
    var parts: [String] = []
    if isExhausted {
      let all = schedules == 1 ? "the one schedule" : "all \(schedules) schedules"
      parts.append("\(all) of suspension points; not between locks")
    } else {
      let bound = departures.map { "every schedule with at most \($0) departures, and " } ?? ""
      parts.append("\(bound)\(schedules) schedules in all, \(random) of them random")
    }
    if !assumptions.isEmpty { parts.append("assuming that \(assumptions)") }
    if let divergence { parts.append("\(divergence) led elsewhere: the body depends on \(BodyRun.cause)") }
    return parts.joined(separator: "; ")
  }
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
  /// What else there is to know.
  var note: String?

  private static let mostLines = 60

  init(_ problem: String, _ choices: [Int], _ story: [String], schedules: Int, note: String? = nil) {
    (self.problem, self.choices, self.story, self.schedules) = (problem, choices, story, schedules)
    self.note = note
  }

  /// With a file beside those of other places.
  func written(place: String) -> ScheduleFailure {
    var failure = self
    failure.file = ScheduleFile.write(place: place, choices: choices, description)
    return failure
  }

  public var description: String {
    let (first, last) = (story.count - Self.mostLines, Self.mostLines / 2)
    let steps = story.enumerated().map { offset, line in
      if first > 0, offset == last { return "  …\n" }
      return first > 0 && offset > last && offset < story.count - last ? "" : "  \(offset + 1). \(line)\n"
    }.joined()
    let again = choices.map(String.init).joined(separator: " ")
    let command = file.map { ", or with \(ScheduleFile.variable)=\($0) in the environment" } ?? ""
    let note = note.map { "\($0)\n" } ?? ""
    return
      "in schedule \(schedules): \(problem)\n\(steps)\(note)Replay it with following: \"\(again)\"\(command)"
  }
}
