import CExploration
import Synchronization

/// The jobs of tasks that are ready, each of which goes on when it is told to and then on the thread that explores.
///
/// Tasks get here by preferring it as their executor, child tasks with them. Within `catching`, where the runtime has its hooks, so
/// do all that this thread makes ready elsewhere: unstructured and detached tasks, actors without executors of their own.
///
/// An actor of the runtime's own kind handles all messages that wait for it in one step, in the order of their coming; one with
/// a `SteppedExecutor` handles one a step.
public final class StepQueue: TaskExecutor, @unchecked Sendable {
  // Invariant: everything but `foreign` is touched by the thread that made the queue only.

  enum Route {
    case task
    case global
    case actor(UnownedSerialExecutor)
  }

  private struct Ready {
    let job: UnownedJob
    let route: Route
    /// The step that has made it ready.
    let cause: UInt64
  }

  private struct KnownTask {
    let number: UInt64
    let lane: UInt64
    /// Those of the tasks that it was made in, one inside the other, the nearest first.
    let ancestors: [UInt64]
    /// The same for those that are made in it.
    lazy var lineage = [lane] + ancestors
    var count: UInt64 = 0
  }

  /// Something that is no step of this exploration, and had a part in it.
  public enum Escape: String, Sendable, Hashable {
    case sleep = "something sleeps by the real clock: sleep by the clock of the exploration"
    case mainActor =
      "something goes to the main actor, whose thread is not the one that explores: isolate it to another actor"
    case thread =
      "a task was made ready by another thread: something in the body has a thread, a queue of Dispatch or an executor of its own"
  }

  private let thread = job_thread()
  private var ready: [Ready] = []
  private var tasks: [KnownTask] = []
  private var causes = Causes()
  /// How many tasks are ready that have not run yet.
  private var starting = 0
  /// Whose step runs, or ran last.
  private var running: UInt64 = 0
  /// The step that runs, which makes others ready.
  private var origin: UInt64 = 0
  /// What has made the last step ready that was one of these.
  package private(set) var cause: UInt64 = 0
  /// Whether its task had been told to stop.
  package private(set) var wasCancelled = false
  /// Whether a task was made in it.
  package private(set) var hasMadeTask = false
  private let foreign = Mutex<[UnownedJob]>([])
  private let hasForeign = Atomic(false)

  /// What can go on now.
  public private(set) var steps: [Step] = []
  /// The first escape since the queue was reset.
  public private(set) var escape: Escape?

  /// A queue that belongs to the calling thread.
  public init() {
    ready.reserveCapacity(16)
    steps.reserveCapacity(16)
    tasks.reserveCapacity(16)
  }

  public func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job), .task) }

  func enqueue(_ job: UnownedJob, _ route: Route) {
    guard job_thread() == thread else {
      foreign.withLock { $0.append(job) }
      return hasForeign.store(true, ordering: .releasing)
    }
    let number = job_task_number(unsafeBitCast(job, to: UnsafeMutableRawPointer.self))
    let step: Step
    if number != 0, let index = tasks.lastIndex(where: { $0.number == number }) {
      tasks[index].count += 1
      // Not as what its first step makes is named: that step has the lane's name.
      step = Step(id: Generator.derive(~tasks[index].lane, tasks[index].count), lane: tasks[index].lane)
    } else {
      step = causes.next()
      if number != 0 {
        let parent = tasks.firstIndex { $0.lane == running }
        let ancestors = parent.map { tasks[$0].lineage } ?? []
        tasks.append(KnownTask(number: number, lane: step.lane, ancestors: ancestors))
        hasMadeTask = true
        starting += 1
      }
    }
    ready.append(Ready(job: job, route: route, cause: origin))
    steps.append(step)
  }

  /// Whether the lane is a task's; others are actors that have messages, and who has yielded.
  func isTask(_ lane: UInt64) -> Bool { tasks.contains { $0.lane == lane } }

  /// The step that has made this one ready.
  func origin(of index: Int) -> UInt64 { ready[index].cause }

  /// Whether a task is among them that has not run yet.
  public var hasStarting: Bool { starting > 0 }

  /// Names what happens from now on as the consequence of a step that is no job: an answer, the clock.
  public func begin(_ step: Step) {
    causes.begin(step)
    (running, hasMadeTask, origin) = (step.lane, false, step.id)
  }

  /// The lanes of the tasks that a task was made in, one inside the other, the nearest first; nil: the lane is no task's.
  package func ancestors(of lane: UInt64) -> [UInt64]? {
    tasks.first { $0.lane == lane }?.ancestors
  }

  /// Lets the job of this step run until it suspends or ends.
  public func run(at index: Int) {
    let step = steps.remove(at: index)
    // A task's first step has the name of its lane.
    if step.id == step.lane, isTask(step.lane) { starting -= 1 }
    begin(step)
    let next = ready.remove(at: index)
    (cause, wasCancelled) = (next.cause, isCancelled(next.job))
    switch next.route {
    case .task: next.job.runSynchronously(on: asUnownedTaskExecutor())
    case .global: job_run(unsafeBitCast(next.job, to: UnsafeMutableRawPointer.self))
    case .actor(let executor): next.job.runSynchronously(on: executor)
    }
  }

  /// How many of the first that are ready are to stop.
  package func toldCount(of count: Int) -> Int {
    ready.prefix(count).count { isCancelled($0.job) }
  }

  private func isCancelled(_ job: UnownedJob) -> Bool {
    job_task_is_cancelled(unsafeBitCast(job, to: UnsafeMutableRawPointer.self))
  }

  /// Tells apart what is ready, and why.
  package var stateHash: UInt64 {
    zip(steps, ready).reduce(0) { sum, next in
      sum &+ Generator.derive(next.0.id, next.1.cause << 1 | (isCancelled(next.1.job) ? 1 : 0))
    }
  }

  /// Forgets what was, for the next schedule. What is ready is left where it is, so let it run before.
  public func reset() {
    tasks.removeAll(keepingCapacity: true)
    (causes, escape, starting) = (Causes(), nil, 0)
  }

  /// Takes in what other threads have made ready since; true: there was something, which is an escape.
  @discardableResult
  public func adoptForeign() -> Bool {
    guard hasForeign.load(ordering: .acquiring) else { return false }
    hasForeign.store(false, ordering: .relaxed)
    let jobs = foreign.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in jobs { enqueue(job, .task) }
    escape = escape ?? .thread
    return true
  }

  /// Runs `body`, on the queue's thread, and catches what it makes ready on the global executors.
  public func catching<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard job_hooks_install() else { return try body() }
    job_hooks_catch(
      { context, job, origin in
        let queue = Unmanaged<StepQueue>.fromOpaque(context!).takeUnretainedValue()
        queue.catch(unsafeBitCast(job!, to: UnownedJob.self), origin)
      }, Unmanaged.passUnretained(self).toOpaque())
    defer { job_hooks_catch(nil, nil) }
    return try body()
  }

  /// A job that slept by the real clock goes on at once: its exploration is over.
  private func `catch`(_ job: UnownedJob, _ origin: job_origin) {
    switch origin {
    case JOB_DELAYED: escape = escape ?? .sleep
    case JOB_MAIN: escape = escape ?? .mainActor
    default: break
    }
    enqueue(job, origin == JOB_MAIN ? .actor(MainActor.sharedUnownedExecutor) : .global)
  }
}

/// The executor of an actor whose messages are to be steps, one each.
///
///     nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
public final class SteppedExecutor: SerialExecutor {
  private let queue: StepQueue

  /// An executor whose jobs are steps of this queue's.
  public init(_ queue: StepQueue) { self.queue = queue }

  public func enqueue(_ job: consuming ExecutorJob) {
    queue.enqueue(UnownedJob(job), .actor(asUnownedSerialExecutor()))
  }
}
