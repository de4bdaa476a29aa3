import CExploration
import Dispatch
import Synchronization

/// Runs one body again and again, each time under a schedule.
final class BodyRun {
  private final class Ending: @unchecked Sendable {
    // Invariant: touched by the thread that explores only, or before it looks: the root task runs there.
    var result: Result<Void, any Error>?
  }

  private let body: @Sendable (ScheduleContext) async throws -> Void
  let budget: ScheduleBudget
  let seed: UInt64
  let place: String
  private let otherProblem: () -> String?
  let journal: Journal
  private var exploration = ScheduleContext()
  /// How many milliseconds somebody outside has to do something: long once, as the same is asked again when a failure is shrunk.
  private var mostWaits = 100

  init(
    _ body: @escaping @Sendable (ScheduleContext) async throws -> Void, _ budget: ScheduleBudget,
    seed: UInt64 = 1, place: String = "", _ problem: @escaping () -> String? = { nil }
  ) {
    (self.body, self.budget, self.seed, self.place, otherProblem) = (body, budget, seed, place, problem)
    journal = Journal(place: place, steps: budget.steps, replayedBy: "\(ScheduleFile.variable)=")
  }

  static let diverged =
    "the same choices led elsewhere: the body depends on something else than its schedule, as a random number, the time or what an earlier run has left"

  private static let stuck =
    "nothing is left that can go on, and the body has not ended: somebody waits for what nobody will do, or for something outside, as a sleep by the real clock, the main actor or a thread"

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

  /// Runs one schedule; returns what was wrong with it.
  func run(_ search: Search, _ story: Story? = nil) -> String? {
    let exploration = exploration
    let queue = exploration.queue
    exploration.story.withLock { $0 = story }
    let ending = Ending()
    let problem = queue.catching { () -> String? in
      queue.begin(Step(id: 1))
      let task = Task(executorPreference: queue) { [body] in
        do {
          try await ScheduleContext.$current.withValue(exploration) { try await body(exploration) }
          ending.result = .success(())
        } catch { ending.result = .failure(error) }
      }
      let problem = go(search, exploration, ending, story)
      if problem != nil { clear(task, exploration) }
      return problem
    }
    if ending.result != nil, queue.escape == nil, queue.steps.isEmpty, exploration.clock.sleeperCount == 0 {
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

  private func go(_ search: Search, _ exploration: ScheduleContext, _ ending: Ending, _ story: Story?)
    -> String?
  {
    let queue = exploration.queue
    var count = 0
    var lanes: [UInt64] = []
    // Where in the story the steps are.
    var places: [UInt64: Int] = [:]
    while true {
      journal.tick()
      if let escape = queue.escape { return escape.rawValue }
      if queue.steps.isEmpty {
        if exploration.clock.sleeperCount > 0 {
          let step = Step(id: UInt64(count) << 8 | 2)
          queue.begin(step)
          exploration.clock.advance()
          places[step.id] = story?.add("the clock moves to \(exploration.clock.now.offset)")
          continue
        }
        if let result = ending.result {
          if case .failure(let error) = result { return "the body threw \(error)" }
          return nil
        }
        if queue.adoptForeign() { continue }
        // Somebody outside may be about to make it go on: then that is to be told.
        for _ in 0..<mostWaits {
          usleep(1_000)
          if queue.adoptForeign() { break }
        }
        mostWaits = 2
        if queue.escape != nil { continue }
        return Self.stuck
      }
      count += 1
      if count > budget.steps { return "\(budget.steps) steps without an end" }
      guard let choice = search.choose(of: queue.steps) else { return Self.diverged }
      if let story {
        let id = queue.steps[choice].id
        places[id] = story.add(line(of: queue, choice, &lanes, places[queue.origin(of: choice)]))
      }
      queue.run(at: choice)
      search.ran(.everything)
    }
  }

  private func line(of queue: StepQueue, _ choice: Int, _ lanes: inout [UInt64], _ origin: Int?) -> String {
    let lane = queue.steps[choice].lane
    let (isNew, isTask) = (!lanes.contains(lane), queue.isTask(lane))
    if isNew, isTask { lanes.append(lane) }
    let number = lanes.firstIndex(of: lane) ?? lanes.count
    let who = number == 0 ? "the body" : "task \(number)"
    let ready = queue.steps.count == 1 ? "" : ", of \(queue.steps.count) that are ready"
    let place = origin.map { "in step \($0)" } ?? "before"
    guard isTask else { return "an actor called \(place), or who yielded there, goes on\(ready)" }
    return isNew ? "\(who) starts\(ready)" : "\(who) goes on, woken \(place)\(ready)"
  }

  /// Lets what has failed end, if cancellation makes it.
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

  /// The failure, with the simplest schedule that fails the same way.
  func shrunk(_ problem: String, _ choices: [Int], schedules: Int) -> ScheduleFailure {
    let first = run(following: choices)
    guard first.problem == problem else {
      return ScheduleFailure(
        "\(problem); and again, \(first.problem ?? "it passed"): \(Self.diverged)", choices, first.story,
        schedules: schedules)
    }
    let least = Exploration.shrunk(choices) { candidate in
      let outcome = run(following: candidate)
      return outcome.problem == problem ? outcome.choices : nil
    }
    return ScheduleFailure(problem, least, run(following: least).story, schedules: schedules)
  }
}

/// A thread of its own that notices when the thread that explores does not come back from a step.
package final class Watchdog: Sendable {
  private let end = DispatchSemaphore(value: 0)
  private let isOver = Atomic(false)
  /// How often it looks until it is sure: a process that was stopped for a while has missed one look, not all.
  private static let looks = 8

  /// Watches the calling thread from now on, whose journal counts what has come back.
  ///
  /// - Parameter notify: told once, on the watching thread, what is wrong.
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
        // On a busy machine even who spins gets a share only; who is blocked gets none.
        let isBusy = used > halfway
        isOver.store(true, ordering: .relaxed)
        return notify("a step has not come back for \(stepTime): \(isBusy ? Self.spins : Self.blocks)")
      }
    }
  }

  /// Nobody waits any more for what the thread does.
  package var hasGivenUp: Bool { isOver.load(ordering: .relaxed) }

  /// Nothing is watched any more.
  func stop() { end.signal() }

  private static let spins = "it spins, or computes for very long; what waits for another task must suspend"
  private static let blocks =
    "it blocks its thread, by a lock, a semaphore or a call that waits; what waits for another task must suspend"
}

extension Duration {
  /// Rounded up; of more than there are, the most.
  var nanoseconds: Int {
    let (seconds, attoseconds) = components
    let (whole, overflow) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isMore) = whole.addingReportingOverflow(Int((attoseconds + 999_999_999) / 1_000_000_000))
    return overflow || isMore ? (seconds < 0 ? .min : .max) : sum
  }
}
