import CExploration
import Synchronization

/// An executor that holds the ready jobs of tasks. `run(at:)` runs one of them, as a step, on the calling thread.
///
/// The queue receives the jobs of tasks that prefer it as their executor, and of their child tasks. Within `catching`, if the
/// runtime has hooks, it also receives all jobs that this thread enqueues on other executors: those of unstructured and
/// detached tasks, and of actors without executors of their own.
///
/// On platforms that allow it (`job_interpose`), a deep queue also intercepts what the hooks miss: all tasks created here
/// prefer the queue, a default actor handles one message in each step, and the queue sees when tasks end.
public final class StepQueue: TaskExecutor, @unchecked Sendable {
  // Invariant: only the thread that made the queue accesses its state, except for `foreign`, which is a mutex.

  enum Route {
    case task
    case global
    case actor(UnownedSerialExecutor)
    /// A job of a task that had to wait because its actor was busy.
    case held
    /// The first job of a task that starts in an actor.
    case start
    case yield
  }

  struct Ready {
    let job: UnownedJob
    let route: Route
    let cause: UInt64
    /// The indices of the job's task in `tasks` and of its actor in `actors`. -1 means none or unknown.
    var task = -1
    var actor = -1
    /// The index of the actor that the task left when it enqueued this job. -1 means none.
    var left = -1
    /// The number of steps run before the job became ready.
    var begun = 0
  }

  struct KnownTask {
    let number: UInt64
    let lane: UInt64
    var count: UInt64 = 0
    /// The index of the task that created this one, or -1. `ordinal` is this task's number among those created by it, from 1.
    let parent: Int
    let ordinal: Int
    var children = 0
    var name: String?
    /// The task's address, valid until the task ends. Used only if `isWatched`, because the queue is then notified of the end.
    let pointer: UnsafeMutableRawPointer
    var isChild = false
    /// Whether the queue is notified when this task ends.
    var isWatched = false
    var hasEnded = false
    /// The index of the actor in which the task runs or to which it switches. -1 means none.
    var actor = -1
    /// Whether the task has begun to run in that actor.
    var isInside = false
    var wasCancelled = false
    var last = 0
  }

  struct KnownActor {
    /// The actor's address. 0 means that the actor was deallocated.
    var identity: UInt
    /// A number that identifies the actor in all interleavings. 0 means that the actor existed before.
    let name: UInt64
    var label: String?
    /// Whether this is a `SteppedExecutor` and not a default actor.
    var isExecutor = false
    /// Whether one of the actor's messages or resumed tasks is ready or running.
    var isBusy = false
    var held: [Ready] = []
  }

  /// Work whose order cannot be controlled.
  public enum Escape: String, Sendable, Hashable {
    /// A task sleeps by the real clock.
    case sleep =
      "the body sleeps by the real clock, as Task.sleep does: sleep by the exploration's clock"
    /// A job runs on the main actor's thread.
    case mainActor =
      "the body uses the main actor, which runs on another thread: isolate the body to another actor"
    /// A job or other work runs on another thread.
    case thread =
      "another thread takes part: the body uses a thread, a Dispatch queue or an executor of its own, or sleeps by the real clock"
  }

  private let thread = job_thread()
  private let isDeep: Bool
  private lazy var holder = MessageHolder(self)
  // Exclusivity checks would take a fifth of the run time. One thread accesses these properties, and steps do not nest.
  @exclusivity(unchecked) var ready: [Ready] = []
  @exclusivity(unchecked) var tasks: [KnownTask] = []
  @exclusivity(unchecked) var actors: [KnownActor] = []
  @exclusivity(unchecked) var causes = Causes()
  @exclusivity(unchecked) private var starting = 0
  /// The lane (task) of the current or last step.
  @exclusivity(unchecked) private var running: UInt64 = 0
  @exclusivity(unchecked) private var runningTask = -1
  @exclusivity(unchecked) private var origin: UInt64 = 0
  /// The index of the task that is switching to an actor, and the index of that actor.
  @exclusivity(unchecked) private var passing: (task: Int, actor: Int) = (-1, -1)
  /// The index of the task that waited for an actor and continues in the current step. -1 means none.
  @exclusivity(unchecked) private var delivering = -1
  @exclusivity(unchecked) private var delivered: Ready?
  @exclusivity(unchecked) private var madeActors: UInt64 = 0
  @exclusivity(unchecked) private var touched: [UInt64] = []
  @exclusivity(unchecked) private var touchesEverything = false
  @exclusivity(unchecked) package private(set) var stepCount = 0
  @exclusivity(unchecked) private(set) var liveCount = 0
  @exclusivity(unchecked) private(set) var mayHaveBatched = false
  @exclusivity(unchecked) var isTracking = false
  @exclusivity(unchecked) var isNaming = false
  /// The identifier of the step that made the last step's job ready.
  @exclusivity(unchecked) package private(set) var cause: UInt64 = 0
  /// Whether the task of the last step was already cancelled when the step began.
  @exclusivity(unchecked) package private(set) var wasCancelled = false
  @exclusivity(unchecked) package private(set) var hasMadeTask = false
  private let foreign = Mutex<[UnownedJob]>([])

  /// The steps that can run now.
  @exclusivity(unchecked) public private(set) var steps: [Step] = []
  /// The first work since the last reset whose order could not be controlled.
  public private(set) var escape: Escape?

  /// Creates a queue. Only the calling thread may use it.
  public convenience init() { self.init(isDeep: false) }

  /// - Parameter isDeep: whether the queue also intercepts what the Swift runtime's hooks miss, on platforms that allow it.
  init(isDeep: Bool) {
    self.isDeep = isDeep && job_hooks_install() && job_interpose()
    ready.reserveCapacity(16)
    steps.reserveCapacity(16)
    tasks.reserveCapacity(16)
  }

  var seesMessages: Bool { isDeep }

  weak var context: ScheduleContext?

  static var catching: StepQueue? { job_hooks_sink().map { of($0.pointee.context) } }

  /// Adds a task's job to the ready steps.
  public func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job), .task) }

  func enqueue(_ job: UnownedJob, _ route: Route) {
    guard job_thread() == thread else { return foreign.withLock { $0.append(job) } }
    let pointer = unsafeBitCast(job, to: UnsafeMutableRawPointer.self)
    let number = job_task_number(pointer)
    if number != 0 {
      if let index = place(ofTask: number) { return goOn(job, route, index) }
      let index = register(number, pointer)
      if isDeep, job_watch_async_let(pointer) { watch(index, isChild: true) }
      starting += 1
      add(Ready(job: job, route: route, cause: origin, task: index), Step(id: tasks[index].lane))
      return
    }
    if isDeep {
      let identity = job_actor(pointer)
      if identity != 0 { return handle(job, route, place(ofActor: identity)) }
      if let index = currentTask { return goOn(job, .yield, index) }
    }
    touchesEverything = true
    add(Ready(job: job, route: route, cause: origin), causes.next())
  }

  private func place(ofTask number: UInt64) -> Int? { tasks.lastIndex { $0.number == number } }

  private var currentTask: Int? {
    guard let task = job_current_task() else { return nil }
    return place(ofTask: job_task_number(task))
  }

  private func register(_ number: UInt64, _ pointer: UnsafeMutableRawPointer) -> Int {
    let step = causes.next()
    let parent = tasks.firstIndex { $0.lane == running } ?? -1
    if parent >= 0 { tasks[parent].children += 1 }
    let ordinal = parent < 0 ? 0 : tasks[parent].children
    tasks.append(
      KnownTask(number: number, lane: step.id, parent: parent, ordinal: ordinal, pointer: pointer))
    hasMadeTask = true
    return tasks.count - 1
  }

  private func watch(_ index: Int, isChild: Bool) {
    (tasks[index].isChild, tasks[index].isWatched) = (isChild, true)
    liveCount += 1
  }

  /// `~` avoids equal identifiers: other steps' identifiers derive from `lane`, the identifier of the task's first step.
  private func nextStep(of index: Int) -> Step {
    tasks[index].count += 1
    return Step(id: Generator.derive(~tasks[index].lane, tasks[index].count), lane: tasks[index].lane)
  }

  private func kind(_ index: Int) -> UInt64 {
    if case .yield = ready[index].route { return 1 }
    return ready[index].actor < 0 ? 0 : 2
  }

  var kinds: UInt64 { steps.indices.reduce(0) { $0 &+ Generator.derive(steps[$1].id, kind($1)) } }

  private func goOn(_ job: UnownedJob, _ route: Route, _ index: Int) {
    var next = Ready(job: job, route: route, cause: origin, task: index)
    if delivering == index {
      delivered = next
      return
    }
    if tasks[index].isInside, case .task = route {
      if index == runningTask { next.left = tasks[index].actor }
      (tasks[index].actor, tasks[index].isInside) = (-1, false)
    }
    if isDeep, index != runningTask { touched.append(tasks[index].lane) }
    add(next, nextStep(of: index))
  }

  private func add(_ next: Ready, _ step: Step) {
    ready.append(next)
    ready[ready.count - 1].begun = stepCount
    steps.append(step)
  }

  // MARK: Messages of default actors

  private func place(ofActor identity: UInt) -> Int {
    var index = actors.firstIndex { $0.identity == identity } ?? -1
    if index < 0 {
      actors.append(KnownActor(identity: identity, name: 0))
      index = actors.count - 1
    }
    // The actor receives a message, so it has not been deallocated, and its type can be read.
    if isNaming, actors[index].label == nil {
      actors[index].label = "\(type(of: unsafeBitCast(identity, to: AnyObject.self)))"
    }
    return index
  }

  /// Queues a job for an actor: a message just sent to it, or the resumption of tasks inside it.
  private func handle(_ job: UnownedJob, _ route: Route, _ actor: Int) {
    var next = Ready(job: job, route: route, cause: origin, actor: actor)
    if passing.actor == actor { (next.task, passing) = (passing.task, (-1, -1)) }
    if actors[actor].isBusy, delivering < 0 {
      actors[actor].held.append(next)
    } else if delivering >= 0 {
      delivered = next
    } else {
      makeReady(next)
    }
  }

  func enqueue(_ job: UnownedJob, inOrderOf executor: UnownedSerialExecutor, _ label: String) {
    let pointer = unsafeBitCast(job, to: UnsafeMutableRawPointer.self)
    let number = job_task_number(pointer)
    guard job_thread() == thread, number != 0 else { return enqueue(job, .actor(executor)) }
    let actor = place(ofActor: unsafeBitCast(executor, to: executor_ref.self).identity)
    (actors[actor].label, actors[actor].isExecutor) = (label, true)
    let next = Ready(
      job: job, route: .actor(executor), cause: origin,
      task: place(ofTask: number) ?? register(number, pointer),
      actor: actor)
    if delivering == next.task {
      delivered = next
    } else if actors[actor].isBusy {
      actors[actor].held.append(next)
    } else {
      makeReady(next)
    }
  }

  private func makeReady(_ next: Ready) {
    actors[next.actor].isBusy = true
    add(next, next.task < 0 ? causes.next() : nextStep(of: next.task))
  }

  /// Records that a task switches to an actor. Returns true if the actor is busy, so that the task must wait.
  private func switches(_ task: UnsafeMutableRawPointer, to identity: UInt) -> Bool {
    guard let index = place(ofTask: job_task_number(task)) else {
      touchesEverything = true
      return false
    }
    passing = (-1, -1)
    guard identity != 0 else { return false }
    tasks[index].isInside = false
    let actor = place(ofActor: identity)
    if delivering == index {
      passing = (index, actor)
      return false
    }
    tasks[index].actor = actor
    touchMail(actor)
    passing = (index, actor)
    return actors[actor].isBusy
  }

  func hold(_ job: UnownedJob) {
    actors[passing.actor].held.append(
      Ready(job: job, route: .held, cause: origin, task: passing.task, actor: passing.actor))
    passing = (-1, -1)
  }

  private func created(
    _ task: UnsafeMutableRawPointer, _ name: UnsafePointer<CChar>?, _ isChild: Bool, in identity: UInt
  ) {
    let number = job_task_number(task)
    let index = place(ofTask: number) ?? register(number, task)
    watch(index, isChild: isChild)
    if isNaming, let name { tasks[index].name = String(cString: name) }
    guard identity != 0 else { return }
    let actor = place(ofActor: identity)
    tasks[index].actor = actor
    touchMail(actor)
    let next = Ready(
      job: unsafeBitCast(task, to: UnownedJob.self), route: .start, cause: origin, task: index, actor: actor)
    if actors[actor].isBusy { actors[actor].held.append(next) } else { makeReady(next) }
  }

  /// Makes one waiting job of the actor ready: the one with the highest priority, and the oldest of several.
  private func release(_ actor: Int) {
    actors[actor].isBusy = false
    guard var best = actors[actor].held.indices.first else { return }
    for index in actors[actor].held.indices.dropFirst()
    where priority(of: actors[actor].held[index]) > priority(of: actors[actor].held[best]) { best = index }
    makeReady(actors[actor].held.remove(at: best))
  }

  /// The priority of a job that waits for its actor. Jobs that resume tasks inside the actor come before all messages.
  private func priority(of next: Ready) -> Int {
    next.task < 0 ? .max : job_task_priority(unsafeBitCast(next.job, to: UnsafeMutableRawPointer.self))
  }

  private func ended(_ task: UnsafeMutableRawPointer) {
    guard let index = place(ofTask: job_task_number(task)), tasks[index].isWatched, !tasks[index].hasEnded
    else { return }
    tasks[index].hasEnded = true
    (tasks[index].actor, tasks[index].isInside) = (-1, false)
    liveCount -= 1
    // Only the parent task can observe the end of a child task.
    if tasks[index].isChild, tasks[index].parent >= 0 {
      touched.append(tasks[tasks[index].parent].lane)
    } else {
      touchesEverything = true
    }
  }

  // MARK: Running

  /// Whether some ready task has not yet run its first step.
  public var hasStarting: Bool { starting > 0 }

  /// Begins a step that is no job of a task, such as an advance of the clock. Call it before the event, which makes jobs ready.
  public func begin(_ step: Step) {
    causes.begin(step)
    (running, hasMadeTask, origin) = (step.lane, false, step.id)
    (runningTask, madeActors, touchesEverything) = (-1, 0, false)
    touched.removeAll(keepingCapacity: true)
    stepCount += 1
  }

  /// The lane of the task that created the task with this lane, or 0 if none did. `nil` if no task has this lane.
  package func parent(of lane: UInt64) -> UInt64? {
    tasks.first { $0.lane == lane }.map { $0.parent < 0 ? 0 : tasks[$0.parent].lane }
  }

  /// Runs the step's job until it suspends or ends.
  public func run(at index: Int) {
    let step = steps.remove(at: index)
    let next = ready.remove(at: index)
    // A task's lane is the identifier of its first step.
    if step.id == step.lane, next.task >= 0 { starting -= 1 }
    begin(step)
    guard isDeep else {
      (cause, wasCancelled) = (next.cause, isCancelled(next.job))
      run(next)
      if next.actor >= 0 { release(next.actor) }
      return
    }
    let count = ready.count
    enter(next)
    switch next.route {
    case .held, .yield, .start: delivering = next.task
    default: break
    }
    run(next)
    let isMessage = delivering >= 0 && next.actor >= 0
    (delivering, passing) = (-1, (-1, -1))
    if let following = delivered {
      delivered = nil
      run(following)
    } else if isMessage {
      // Several resumed tasks may run in this step: the actor runs them before the message, which must wait.
      mayHaveBatched = true
    }
    if next.actor >= 0 { release(next.actor) }
    if isTracking { findCancelled() }
    sort(from: count)
  }

  private func run(_ next: Ready) {
    let pointer = unsafeBitCast(next.job, to: UnsafeMutableRawPointer.self)
    switch next.route {
    case .task, .yield: next.job.runSynchronously(on: asUnownedTaskExecutor())
    case .global: job_run(pointer)
    case .actor(let executor): next.job.runSynchronously(on: executor)
    case .held: next.job.runSynchronously(on: holder.asUnownedSerialExecutor())
    case .start:
      passing = (next.task, next.actor)
      job_start(pointer, actors[next.actor].identity)
    }
  }

  private func enter(_ next: Ready) {
    runningTask = next.task
    if next.task >= 0 {
      touched.append(tasks[next.task].lane)
      tasks[next.task].last = stepCount
    }
    if next.actor >= 0 {
      let name = actors[next.actor].name
      if name == 0 || next.task < 0 { touchesEverything = true } else { touched.append(name) }
      if next.task >= 0 { (tasks[next.task].actor, tasks[next.task].isInside) = (next.actor, true) }
      if actors[next.actor].isExecutor { return }
      // Several tasks that were resumed in this actor may run in this step, and the queue cannot see how many do.
      if next.task < 0 || stepCount > next.begun + 1,
        tasks.count(where: { $0.actor == next.actor && $0.isInside }) > 1
      {
        mayHaveBatched = true
      }
    } else if case .actor = next.route {
      touchesEverything = true
    }
  }

  /// Sorts new steps by the creation of their tasks, because a step may wake tasks in a varying order, such as that of a Set.
  private func sort(from first: Int) {
    guard ready.count > first + 1 else { return }
    func key(_ index: Int) -> Int {
      ready[index].task >= 0 ? ready[index].task : Int.max / 2 + ready[index].actor
    }
    for index in (first + 1)..<ready.count {
      var place = index
      while place > first, key(place - 1) > key(place) {
        ready.swapAt(place, place - 1)
        steps.swapAt(place, place - 1)
        place -= 1
      }
    }
  }

  private func isCancelled(_ job: UnownedJob) -> Bool {
    job_task_is_cancelled(unsafeBitCast(job, to: UnsafeMutableRawPointer.self))
  }

  // MARK: What a step has touched

  /// The identifiers of the tasks and actors that the last step touched; other shared state is missing. `nil` means unknown.
  var footprint: [UInt64]? {
    if touchesEverything { return nil }
    // The step may have resumed tasks that wait inside actors, so each of these actors counts as touched.
    for task in tasks where task.isInside && !task.hasEnded { touchMail(task.actor) }
    return touchesEverything ? nil : touched
  }

  private func touchMail(_ actor: Int) {
    let name = actors[actor].name
    if name == 0 { touchesEverything = true } else { touched.append(~name) }
  }

  private func findCancelled() {
    for index in tasks.indices
    where tasks[index].isWatched && !tasks[index].hasEnded && !tasks[index].wasCancelled {
      guard job_task_is_cancelled(tasks[index].pointer) else { continue }
      tasks[index].wasCancelled = true
      touchesEverything = true
    }
  }

  package var stateHash: UInt64 {
    zip(steps, ready).reduce(0) { sum, next in
      sum &+ Generator.derive(next.0.id, next.1.cause << 1 | (isCancelled(next.1.job) ? 1 : 0))
    }
  }

  /// Resets the queue for the next run. Run all ready steps first, since the queue keeps them.
  public func reset() {
    tasks.removeAll(keepingCapacity: true)
    actors.removeAll(keepingCapacity: true)
    (causes, escape, starting, stepCount, liveCount) = (Causes(), nil, 0, 0, 0)
    mayHaveBatched = false
  }

  /// Adds jobs that other threads enqueued to the ready steps. Returns whether there were any; if so, sets `escape`.
  @discardableResult
  public func adoptForeign() -> Bool {
    let jobs = foreign.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    if jobs.isEmpty { return false }
    for job in jobs { enqueue(job, .task) }
    escape = escape ?? .thread
    return true
  }

  /// Runs `body` on the queue's thread and intercepts the jobs that this thread enqueues on the global executors.
  public func catching<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard job_hooks_install() else { return try body() }
    var sink = job_sink()
    sink.context = Unmanaged.passUnretained(self).toOpaque()
    sink.enqueued = { context, job, origin in
      StepQueue.of(context).catch(job.map { unsafeBitCast($0, to: UnownedJob.self) }, origin)
    }
    if isDeep {
      sink.is_deep = true
      sink.preference = unsafeBitCast(asUnownedTaskExecutor(), to: executor_ref.self)
      sink.holder = unsafeBitCast(holder.asUnownedSerialExecutor(), to: executor_ref.self)
      sink.created = { StepQueue.of($0).created($1!, $2, $3, in: UInt($4)) }
      sink.ended = { StepQueue.of($0).ended($1!) }
      sink.switching = { StepQueue.of($0).switches($1!, to: UInt($2)) }
      sink.made_actor = { StepQueue.of($0).madeActor(UInt($1)) }
    }
    return try withUnsafePointer(to: sink) { sink in
      job_hooks_catch(sink)
      defer { job_hooks_catch(nil) }
      return try body()
    }
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> StepQueue {
    Unmanaged.fromOpaque(context!).takeUnretainedValue()
  }

  private func madeActor(_ identity: UInt) {
    let name = Generator.derive(~origin, madeActors) | 1
    madeActors += 1
    // The new actor may reuse the address of a deallocated one, which must not be found by that address any more.
    if let gone = actors.firstIndex(where: { $0.identity == identity }) { actors[gone].identity = 0 }
    actors.append(KnownActor(identity: identity, name: name))
  }

  /// Enqueues an intercepted job. A job that waits for the real clock runs without waiting, since this run has failed anyway.
  private func `catch`(_ job: UnownedJob?, _ origin: job_origin) {
    if origin == JOB_DELAYED { escape = escape ?? .sleep }
    if origin == JOB_OUTSIDE { escape = escape ?? .thread }
    if origin == JOB_MAIN, !isDeep { escape = escape ?? .mainActor }
    guard let job else { return }
    if origin == JOB_MAIN { return enqueue(job, inOrderOf: MainActor.sharedUnownedExecutor, "MainActor") }
    enqueue(job, isDeep ? .task : .global)
  }
}

/// An executor that delays messages to busy default actors, so that each message is a step of its own.
final class MessageHolder: SerialExecutor {
  private unowned let queue: StepQueue

  init(_ queue: StepQueue) { self.queue = queue }

  func enqueue(_ job: consuming ExecutorJob) { queue.hold(UnownedJob(job)) }
}
