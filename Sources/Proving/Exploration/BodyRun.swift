import CExploration
import Dispatch
import Synchronization

/// Runs a body under chosen interleavings of its tasks, one after another.
final class BodyRun {
  private final class Ending: @unchecked Sendable {
    // Invariant: only the thread that runs all steps accesses `result`.
    var result: Result<Void, any Error>?
  }

  let body: @Sendable (ScheduleContext) async throws -> Void
  let budget: ScheduleBudget
  let assumptions: ScheduleAssumptions
  let seed: UInt64
  let place: String
  private let judge: (String?) -> String?
  let journal: Journal
  private var exploration = ScheduleContext()
  /// How many milliseconds a run without a ready step waits for another thread to resume a task. Only the first such wait is
  /// long, because shrinking a failure repeats it many times.
  private var mostWaits = 100
  /// Whether a default actor may have handled several resumed tasks in one step.
  private(set) var mayHaveBatched = false
  private var trace: UInt64 = 0
  private var isTracing = false

  /// - Parameter judge: receives the problem of a run, or `nil` if it has none, and returns the problem to report.
  init(
    _ body: @escaping @Sendable (ScheduleContext) async throws -> Void, _ budget: ScheduleBudget,
    assuming assumptions: ScheduleAssumptions = [], seed: UInt64 = 1, place: String = "",
    _ judge: @escaping (String?) -> String? = { $0 }
  ) {
    (self.body, self.budget, self.assumptions) = (body, budget, assumptions)
    (self.seed, self.place, self.judge) = (seed, place, judge)
    journal = Journal(place: place, steps: budget.steps, replayedBy: "\(ScheduleFile.variable)=")
  }

  static let cause =
    "the order of a Set or a Dictionary, an address, the time, a random number, or state left by an earlier run"
  static let stuck =
    "deadlock: no task can go on, and the body has not ended; a task waits forever for another, or for a thread or the real clock"
  private static let mostStepsAfterEnd = 1_000

  var seesMessages: Bool { exploration.queue.seesMessages }

  struct Outcome {
    let problem: String?
    let choices: [Int]
    let story: [String]
  }

  func run(following choices: [Int], _ story: Story = Story()) -> Outcome {
    let search = Search(.following(choices), journal: journal)
    _ = search.begin()
    let problem = run(search, story)
    return Outcome(problem: problem, choices: search.choices, story: story.lines)
  }

  /// Runs the body once and returns its problem. `nil` means that it has none, or that the search abandoned this run.
  func run(_ search: Search, _ story: Story? = nil) -> String? {
    let exploration = exploration
    let queue = exploration.queue
    exploration.story.withLock { $0 = story }
    (queue.isNaming, queue.isTracking) = (story != nil, search.isReduced)
    trace = 0
    let ending = Ending()
    var isLeft = false
    let problem = queue.catching { () -> String? in
      queue.begin(Step(id: 1))
      let task = Task(executorPreference: queue) { [body] in
        do {
          try await exploration.run(body)
          ending.result = .success(())
        } catch { ending.result = .failure(error) }
      }
      let problem = go(search, exploration, ending, story, &isLeft)
      // The run is judged before the cancellation of remaining tasks changes its state.
      let judged = isLeft ? nil : judge(problem)
      exploration.story.withLock { $0 = nil }
      if problem != nil { clear(task, exploration) }
      if problem != nil || isLeft { _ = judge(nil) }
      return judged
    }
    mayHaveBatched = mayHaveBatched || queue.mayHaveBatched
    if ending.result != nil, queue.escape == nil || !fails(queue), queue.steps.isEmpty, queue.liveCount == 0,
      exploration.clock.sleeperCount == 0
    {
      queue.reset()
      exploration.clock.reset()
    } else {
      // Leaks the queue on purpose: tasks that are left may still enqueue jobs, which must not reach the next run.
      _ = Unmanaged.passRetained(exploration)
      self.exploration = ScheduleContext()
    }
    return problem
  }

  private func go(
    _ search: Search, _ exploration: ScheduleContext, _ ending: Ending, _ story: Story?, _ isLeft: inout Bool
  ) -> String? {
    let (queue, clock) = (exploration.queue, exploration.clock)
    var count = 0
    var endCount = Int.max
    var lines: [UInt64: Int] = [:]
    while true {
      journal.tick()
      if fails(queue) { return queue.escape?.rawValue }
      if ending.result != nil, endCount == .max { endCount = count }
      var tick: Step?
      if queue.steps.isEmpty || !assumptions.contains(.timersWait), let next = clock.next {
        tick = Step(id: Generator.derive(2, next), lane: 2)
      }
      let ready = queue.steps.count
      if ready == 0, tick == nil {
        if let result = ending.result {
          if case .failure(let error) = result { return "the body threw \(error)" }
          guard queue.liveCount > 0, !assumptions.contains(.leftovers) else { return nil }
          for line in queue.unended { story?.add("left behind: \(line)") }
          return
            "the body has ended, but a task that it created waits forever: end the task, or assume .leftovers"
        }
        if queue.adoptForeign() { continue }
        // If another thread resumes a task meanwhile, the problem is the use of that thread, and not a deadlock.
        for _ in 0..<mostWaits {
          usleep(1_000)
          if queue.adoptForeign() { break }
        }
        mostWaits = 2
        if fails(queue) { continue }
        for line in queue.unended { story?.add("stuck: \(line)") }
        return Self.stuck
      }
      count += 1
      if count > budget.steps || count - Self.mostStepsAfterEnd > endCount {
        if endCount != .max, assumptions.contains(.leftovers) { return nil }
        story?.add("endless: \(queue.last) ran last")
        if endCount == .max {
          return
            "the body has not ended after \(budget.steps) steps: it runs forever, or needs a larger budget"
        }
        return
          "the body has ended, but a task that it created still runs \(Self.mostStepsAfterEnd) steps later: end the task, or assume .leftovers"
      }
      if isTracing { trace = Generator.mix(trace &+ queue.kinds &+ (tick?.id ?? 0)) }
      // A run that the search abandons still continues to its end, so that it leaves no task behind.
      var choice: Int? = 0
      if !isLeft {
        choice =
          if let tick { search.choose(of: queue.steps + [tick]) } else { search.choose(of: queue.steps) }
      }
      if choice == nil { isLeft = true }
      let next = choice ?? 0
      let isTick = next == ready
      if let story {
        func line(_ id: UInt64) -> String? { lines[id].map { "step \($0)" } }
        // By default, the step that has been ready longest runs. Only other choices are mentioned.
        let others = next == 0 ? "" : ", ahead of \(queue.subject(at: 0, line))"
        let what =
          isTick
          ? "the clock moves to \(Duration.nanoseconds(clock.next!).brief)"
          : queue.description(at: next, line)
        lines[isTick ? tick!.id : queue.steps[next].id] = story.add(what + others)
      }
      let looks = search.isReduced ? clock.lookCount : 0
      if isTick {
        queue.begin(tick!)
        clock.advance()
      } else {
        queue.run(at: next)
      }
      guard !isLeft else { continue }
      search.ran(
        search.isReduced && !isTick ? footprint(search, queue, looks: clock.lookCount != looks) : .everything)
    }
  }

  /// Whether the body uses something that cannot be controlled and that the assumptions do not allow, such as a thread.
  private func fails(_ queue: StepQueue) -> Bool {
    queue.escape.map { $0 != .thread || !assumptions.contains(.threads) } ?? false
  }

  private func footprint(_ search: Search, _ queue: StepQueue, looks: Bool) -> Footprint {
    guard let touched = queue.footprint else { return .everything }
    var footprint = Footprint()
    for name in touched { footprint.writes(search.object(name)) }
    if looks { footprint.writes(search.object(2)) }
    return footprint
  }

  private func clear(_ task: Task<Void, Never>, _ exploration: ScheduleContext) {
    task.cancel()
    for _ in 0..<1_000 {
      journal.tick()
      if !exploration.queue.steps.isEmpty {
        exploration.queue.run(at: 0)
      } else if exploration.clock.sleeperCount > 0 {
        exploration.clock.advance()
      } else {
        return
      }
    }
  }

  func shrunk(_ problem: String, _ choices: [Int], schedules: Int) -> ScheduleFailure {
    var found = choices
    func fails(_ candidate: [Int]) -> [Int]? {
      let outcome = run(following: candidate)
      return outcome.problem == problem ? outcome.choices : nil
    }
    // A body that also depends on other things, such as the time, may fail in some runs only.
    let failures = (0..<Self.mostRepeats).first { _ in fails(found).map { found = $0 } != nil }
    guard failures != nil else {
      let note =
        "The same choices did not fail again in \(Self.mostRepeats) runs: the body also depends on other things, such as \(Self.cause)."
      return ScheduleFailure(problem, choices, [], schedules: schedules, note: note)
    }
    let least = Exploration.shrunk(found, fails)
    var last = run(following: least)
    for _ in 0..<Self.mostRepeats where last.problem != problem { last = run(following: least) }
    return ScheduleFailure(problem, least, last.story, schedules: schedules)
  }

  private static let mostRepeats = 20

  /// Whether these choices lead to the same steps in every run, even if objects have other addresses.
  func repeats(_ choices: [Int]) -> Bool {
    var blocks: [UnsafeMutableRawPointer] = []
    defer { for block in blocks { block.deallocate() } }
    var generator = Generator(state: seed)
    var first: UInt64?
    isTracing = true
    defer { isTracing = false }
    for _ in 0..<16 {
      for _ in 0..<(generator.next() % 32) {
        blocks.append(.allocate(byteCount: 16 + Int(generator.next() % 1_024), alignment: 16))
      }
      _ = run(following: choices)
      if let first, first != trace { return false }
      first = trace
    }
    return true
  }
}

/// A thread that notices when the thread that runs the steps hangs in one.
package final class Watchdog: Sendable {
  private let end = DispatchSemaphore(value: 0)
  private let isOver = Atomic(false)
  /// The number of consecutive checks without progress after which a step counts as hanging. Several, because a process that
  /// was stopped for a while fails only one check.
  private static let looks = 8

  /// Watches the calling thread, whose steps the journal counts. Calls `notify` at most once, on the watchdog's own thread.
  init(_ journal: Journal, stepTime: Duration, _ notify: @escaping @Sendable (String) -> Void) {
    let clock = thread_clock()
    DispatchQueue(label: "exploration watchdog").async { [self] in
      var (progress, halfway, silent) = (-1, UInt64(0), 0)
      let pause = stepTime / Self.looks
      while end.wait(timeout: .now() + .nanoseconds(pause.nanoseconds)) == .timedOut {
        let (now, used) = (journal.progress, thread_clock_nanoseconds(clock))
        silent += 1
        if now != progress { (progress, silent) = (now, 0) }
        if silent == Self.looks / 2 { halfway = used }
        guard silent == Self.looks else { continue }
        // A spinning step uses CPU time, even if it gets only a share of a busy processor. A blocked step uses none.
        let isBusy = used > halfway
        isOver.store(true, ordering: .relaxed)
        return notify("a step has not returned for \(stepTime): \(isBusy ? Self.spins : Self.blocks)")
      }
    }
  }

  package var hasGivenUp: Bool { isOver.load(ordering: .relaxed) }

  func stop() { end.signal() }

  private static let spins = "it spins, or computes for very long; to wait for another task, suspend"
  private static let blocks =
    "it blocks its thread in a lock, a semaphore or another call; to wait for another task, suspend"
}

extension Duration {
  /// The duration in nanoseconds, rounded up and clamped.
  var nanoseconds: Int {
    let (seconds, attoseconds) = components
    let (whole, overflow) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isMore) = whole.addingReportingOverflow(Int((attoseconds + 999_999_999) / 1_000_000_000))
    return overflow || isMore ? (seconds < 0 ? .min : .max) : sum
  }

  /// The duration in seconds as text, without a rounding error.
  var brief: String {
    let (seconds, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    var digits = "\(1_000_000_000 + fraction)".dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(seconds)\(digits.isEmpty ? "" : ".\(digits)") s"
  }
}
