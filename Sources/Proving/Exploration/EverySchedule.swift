import CExploration
import Dispatch
import Synchronization

/// Runs `body` under every schedule (interleaving of its tasks), or as many as the budget allows. Throws the first failure.
///
/// All tasks run on one thread. A step is what a task does between two suspensions. By default, the step that has been ready
/// longest runs next; the failure has few departures from this order. A schedule fails if the body throws, deadlocks, does not
/// end, leaves a task behind, or uses another thread or the real clock. The body runs anew for each schedule and must create
/// its state itself. Data races are not found: use Thread Sanitizer.
///
/// If the environment variable `FANOUT_SCHEDULE` names a file that this call wrote, only the schedule in that file runs.
///
/// - Parameters:
///   - budget: the limits on time, schedules and steps.
///   - assumptions: conditions that the check relies on but does not verify. The report names them.
///   - seed: the seed of random interleavings.
///   - choices: an interleaving to replay, in the form that a failure prints. No other runs.
///   - problem: a closure called after each run of `body`. It returns a problem that it found itself, or `nil`.
///   - name: a name that distinguishes calls on the same line. Example: the arguments of a test.
///   - fileID: the source file, which with `line` names the file of a failure. A helper function passes its caller's.
///   - line: the source line. See `fileID`.
///   - body: the code under test. It must sleep by the clock of its context.
@discardableResult
public func everySchedule(
  _ budget: ScheduleBudget = .standard, assuming assumptions: ScheduleAssumptions = [], seed: UInt64 = 1,
  following choices: String? = nil, orProblem problem: @escaping @Sendable () -> String? = { nil },
  name: String = "", fileID: String = #fileID, line: Int = #line,
  _ body: @escaping @Sendable (ScheduleContext) async throws -> Void
) async throws -> ScheduleReport {
  let place = "\(fileID):\(line)\(name.isEmpty ? "" : " ")\(name)"
  // A replay prints each step immediately, because the step may crash the process.
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

/// Runs a body that uses neither the virtual clock nor notes under every interleaving of its tasks.
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

/// Runs `body` on a thread of its own, because it may hang. Returns its result or the result passed to `answer` from any
/// thread, whichever comes first.
func onOwnThread<Value: Sendable>(
  _ body:
    @escaping @Sendable (_ answer: @escaping @Sendable (Result<Value, any Error>) -> Void) ->
    Result<Value, any Error>
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    let waiting = Mutex<CheckedContinuation<Value, any Error>?>(continuation)
    let answer: @Sendable (Result<Value, any Error>) -> Void = { result in
      waiting.withLock { $0.take() }?.resume(with: result)
    }
    // A `Task`, so that tasks of the code under test inherit its task-local values.
    Task(executorPreference: OwnThread()) { answer(body(answer)) }
  }
}

/// An executor whose thread is not in the cooperative pool.
private final class OwnThread: TaskExecutor {
  private let queue = DispatchQueue(label: "exploration")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

extension BodyRun {
  /// Runs the schedules on the calling thread. If a step does not return, another thread calls `giveUp`.
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

  /// Runs `work` under a watchdog. If a step does not return, another thread calls `giveUp` with the steps so far.
  func watched<Value>(
    _ story: Story, _ giveUp: @escaping @Sendable (ScheduleFailure) -> Void,
    during work: (Watchdog) throws -> Value
  ) rethrows -> Value {
    try journal.watched(stepTime: budget.stepTime) { [journal, place, retold] problem in
      let lines =
        (story.lines.isEmpty ? retold(journal.choices) : story.lines) + ["this step does not return"]
      var failure = ScheduleFailure(problem, journal.choices, lines, schedules: journal.schedules)
      failure.isAtWork = true
      giveUp(failure.written(place: place))
    } during: {
      try work($0)
    }
  }

  /// Runs a schedule that hangs a second time, to record its steps. The thread that runs it never leaves the last step.
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

  /// Alternates between four methods: few departures from the default order, all schedules, random priorities, random choices.
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

/// Limits for trying the interleavings of one body.
public struct ScheduleBudget: Sendable, Hashable {
  /// The time for all interleavings together.
  public var time: Duration
  /// The maximum number of interleavings.
  public var schedules: Int
  /// The maximum number of steps in one run of the body. A run with more steps counts as endless.
  public var steps: Int
  /// The time after which a step that has not returned counts as hanging.
  public var stepTime: Duration

  /// Creates a budget. Too many interleavings for it are sampled: at random, and by few departures from the default order.
  public init(
    time: Duration = .seconds(10), schedules: Int = .max, steps: Int = 10_000,
    stepTime: Duration = .seconds(2)
  ) {
    (self.time, self.schedules, self.steps, self.stepTime) = (time, schedules, steps, stepTime)
  }

  /// A budget of ten seconds.
  public static let standard = ScheduleBudget()

  /// A budget with a time limit.
  public static func time(_ time: Duration) -> Self { Self(time: time) }

  /// A budget with a maximum number of interleavings.
  public static func schedules(_ count: Int) -> Self { Self(time: .seconds(3_600), schedules: count) }
}

/// Conditions that the check of a body relies on but does not verify.
public struct ScheduleAssumptions: OptionSet, Sendable, Hashable, CustomStringConvertible {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The clock advances only when no task is ready, so no timer fires before a ready task has run.
  public static let timersWait = Self(rawValue: 1)
  /// Tasks share state only through default actors, and not through locks, atomics or streams. So of interleavings that differ
  /// only in the order of steps on different actors, one is tried.
  public static let actorsOnly = Self(rawValue: 2)
  /// Tasks may outlive the body, wait forever, or never end.
  public static let leftovers = Self(rawValue: 4)
  /// Work on Dispatch or on another thread resumes no task of the body.
  public static let threads = Self(rawValue: 32)
  /// Only reported, never set by callers: one step may have run several tasks that were resumed in one default actor.
  public static let batches = Self(rawValue: 8)
  /// Only reported, never set by callers: on this platform a default actor handles all waiting messages in one step, and tasks
  /// with another preferred executor switch actors within a step.
  public static let unseen = Self(rawValue: 16)

  private static let texts: [(Self, String)] = [
    (.timersWait, "timers fire only when no task is ready"), (.actorsOnly, "only actors share state"),
    (.leftovers, "tasks may outlive the body"),
    (.threads, "other threads resume no task"),
    (.batches, "tasks resumed together in a default actor continue in one step"),
    (.unseen, "a default actor handles all waiting messages in one step"),
  ]

  public var description: String {
    Self.texts.filter { contains($0.0) }.map(\.1).joined(separator: "; ")
  }
}

/// The number and kind of interleavings that `everySchedule` tried.
public struct ScheduleReport: Sendable, Hashable, CustomStringConvertible {
  /// The number of interleavings that ran. If `isExhausted`, there are no others.
  public var schedules = 0
  /// Whether all interleavings at suspension points were tried, under the assumptions. Code on several threads has more.
  public var isExhausted = false
  /// All interleavings with at most this many departures from the default order were tried.
  public var departures: Int?
  /// The number of random interleavings.
  public var random = 0
  /// The conditions that the check relied on.
  public var assumptions: ScheduleAssumptions = []
  /// The point at which the same choices led to other steps, so that the check is incomplete. `nil` means that there was none.
  public var divergence: String?

  public var description: String {
    var parts: [String] = []
    if isExhausted {
      let all = schedules == 1 ? "the one schedule" : "all \(schedules) schedules"
      parts.append("\(all) of suspension points; not between locks")
    } else {
      let bound = departures.map { "every schedule with at most \($0) departures, and " } ?? ""
      parts.append("\(bound)\(schedules) schedules in total, \(random) of them random")
    }
    if !assumptions.isEmpty { parts.append("assuming that \(assumptions)") }
    if let divergence { parts.append("\(divergence) diverged: the body depends on \(BodyRun.cause)") }
    return parts.joined(separator: "; ")
  }
}

/// An interleaving in which a body failed.
public struct ScheduleFailure: Error, CustomStringConvertible {
  /// What went wrong.
  public let problem: String
  /// The choices among the ready steps, one index for each step. To replay the interleaving, pass them as `following`.
  public let choices: [Int]
  /// What each step of the failed run did, in order.
  public let story: [String]
  /// The number of interleavings tried before this one.
  public let schedules: Int
  /// The path of a file that replays the failure. `nil` if it could not be written, or if this was a replay.
  public internal(set) var file: String?
  package var isAtWork = false
  var note: String?

  private static let mostLines = 60

  init(_ problem: String, _ choices: [Int], _ story: [String], schedules: Int, note: String? = nil) {
    (self.problem, self.choices, self.story, self.schedules) = (problem, choices, story, schedules)
    self.note = note
  }

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
