import Conformance
import Coroutines
import Exploration
import RuntimeSupport
import UploadScenario

/// The source of a contender's own steps: what its tasks or coroutines do between two suspensions, and its timers.
protocol Steps: AnyObject {
  var ready: [Step] { get }
  var isIdle: Bool { get }
  /// Whether the clock may advance before the ready steps have run.
  var letsTimePass: Bool { get }
  var timerCount: Int { get }
  /// The number of reads of the clock so far. Setting a timer also reads it.
  var looks: Int { get }
  func run(at index: Int)
  /// Sets the step that causes all steps that become ready from now on.
  func begin(_ step: Step)
  /// Advances the clock to the next timer's deadline and fires that timer.
  func advanceClock()
  /// Whether the contender continues inside the service's call of the completion, and not in a later step.
  var areInline: Bool { get }
  /// The virtual time, in nanoseconds.
  var clock: @Sendable () -> UInt64 { get }
  func perform(_ body: () -> Void)
  func owner(of step: Step) -> UInt64
  /// The creator of the task or coroutine `owner`; 0 if it has none, `nil` if it is unknown and may share state with `owner`.
  func parent(of owner: UInt64) -> UInt64?
  /// Whether the end of a task can be inferred: it waits for nothing, and only its parent can still observe it.
  var endsAreSeen: Bool { get }
  var hasMadeTask: Bool { get }
  /// Work of the contender on other threads, whose order cannot be chosen. `nil` means none.
  var escape: String? { get }
  var cause: UInt64 { get }
  /// Whether the task of the last step had been cancelled before it. `nil` means that the task began with that step.
  var wasCancelled: Bool? { get }
  /// Resets for the next run. Returns false if work is left, in which case a new instance is needed.
  func reset() -> Bool
  var stateHash: UInt64 { get }
}

extension Steps {
  func reset() -> Bool { false }
  var cause: UInt64 { 0 }
  var wasCancelled: Bool? { nil }
  var stateHash: UInt64 { 0 }
  var letsTimePass: Bool { true }
  var looks: Int { 0 }
  func owner(of step: Step) -> UInt64 { step.lane }
  func parent(of owner: UInt64) -> UInt64? { nil }
  var endsAreSeen: Bool { false }
  var hasMadeTask: Bool { false }
  var escape: String? { nil }
  func perform(_ body: () -> Void) { body() }
}

/// The steps of a contender that continues inside the service's call of the completion. Its only events are timers.
final class TimerSteps: Steps {
  private let source = ManualTimerSource()
  let areInline = true
  let ready: [Step] = []
  let isIdle = true
  var timerCount: Int { source.pendingCount }
  func run(at index: Int) {}
  func begin(_ step: Step) {}
  func advanceClock() { source.advanceToNext() }
  var clock: @Sendable () -> UInt64 { { [source] in source.now.unsignedNanoseconds } }
  func perform(_ body: () -> Void) { TimerSource.$current.withValue(source, operation: body) }
}

final class CoroutineSteps: Steps, CoroutineScheduler, @unchecked Sendable {
  // Invariant: one thread runs all coroutines, and only that thread accesses this object.
  private struct Work {
    /// The body of a new coroutine. `nil` means that an existing coroutine continues.
    let begins: (@Sendable () -> Void)?
    let coroutine: ReadyCoroutine?
    let taker: UInt64
    let cause: UInt64

    /// Whether the coroutine was cancelled. `nil` means that it has not begun.
    var isCancelled: Bool? { coroutine?.isCancelled }
  }

  /// A coroutine on this scheduler. A coroutine that it starts on the same thread counts as a part of it.
  private struct Owner {
    let id: UInt64
    /// The identifier of the coroutine that started this one, or 0.
    let parent: UInt64
    /// Derives the identifiers of the coroutines that this one starts.
    var made = Causes()
    var turns: UInt64 = 0

    init(id: UInt64, parent: UInt64) {
      (self.id, self.parent) = (id, parent)
      made.begin(Step(id: ~id))
    }
  }

  private var work: [Work] = []
  private(set) var ready: [Step] = []
  private var origin: UInt64 = 0
  private(set) var cause: UInt64 = 0
  private(set) var wasCancelled: Bool?
  private var owners: [Owner] = []
  private var causes = Causes()
  /// The identifier of the coroutine that ran the last step, or 0.
  private var running: UInt64 = 0
  let timer = ManualCoTimer()
  /// The time at which the run began, in nanoseconds.
  private var start: UInt64 = 0
  /// The time since the run began, in nanoseconds. `nil` while `advanceClock` is running.
  private var time: UInt64? = 0
  let areInline = false

  var isIdle: Bool { work.isEmpty }
  var timerCount: Int { timer.pendingCount }
  var looks: Int { timer.lookCount }
  func begin(_ step: Step) {
    causes.begin(step)
    origin = step.id
    running = 0
  }

  func scheduleTask(_ task: @escaping @Sendable () -> Void) {
    let step =
      if let index = owners.firstIndex(where: { $0.id == running }) {
        owners[index].made.next()
      } else {
        causes.next()
      }
    owners.append(Owner(id: step.id, parent: running))
    self.work.append(Work(begins: task, coroutine: nil, taker: step.id, cause: origin))
    ready.append(step)
  }

  func schedule(_ coroutine: ReadyCoroutine) {
    let owner = UInt64(coroutine.mark)
    let step: Step
    if let index = owners.firstIndex(where: { $0.id == owner }) {
      owners[index].turns += 1
      step = Step(id: Generator.derive(~owner &- 1, owners[index].turns))
    } else {
      step = causes.next()
    }
    work.append(Work(begins: nil, coroutine: coroutine, taker: owner, cause: origin))
    ready.append(step)
  }

  func run(at index: Int) {
    let next = work.remove(at: index)
    wasCancelled = next.isCancelled
    cause = next.cause
    begin(ready.remove(at: index))
    running = next.taker
    ReadyCoroutine.marking(UInt(running)) {
      if let coroutine = next.coroutine { coroutine.run() } else { next.begins!() }
    }
  }

  func owner(of step: Step) -> UInt64 {
    if let index = ready.lastIndex(where: { $0.id == step.id }) { return work[index].taker }
    return running
  }

  func parent(of owner: UInt64) -> UInt64? { owners.first { $0.id == owner }?.parent }

  var stateHash: UInt64 {
    work.indices.reduce(UInt64(timerCount)) { sum, index in
      var hash = StateHash()
      hash.add(ready[index].id)
      hash.add(work[index].cause)
      hash.add(work[index].isCancelled ?? false)
      return sum &+ hash.value
    }
  }

  func advanceClock() {
    time = nil
    timer.advanceToNext()
    time = timer.now.unsignedNanoseconds - start
  }
  var clock: @Sendable () -> UInt64 { { [self] in time ?? timer.now.unsignedNanoseconds - start } }

  func reset() -> Bool {
    guard work.isEmpty, timerCount == 0 else { return false }
    owners.removeAll(keepingCapacity: true)
    (causes, start, time) = (Causes(), timer.now.unsignedNanoseconds, 0)
    return true
  }
}

/// The steps of async/await tasks, on any executor.
final class TaskSteps: Steps {
  private let queue = StepQueue()
  let virtualClock = VirtualClock()
  let areInline = false
  private let isStructured: Bool

  /// - Parameter isStructured: whether a task shares state with its creator only through groups, cancellation and the service.
  init(isStructured: Bool) { self.isStructured = isStructured }

  func parent(of owner: UInt64) -> UInt64? { isStructured ? queue.parent(of: owner) : nil }
  let endsAreSeen = true
  var hasMadeTask: Bool { queue.hasMadeTask }

  var ready: [Step] { queue.steps }
  var isIdle: Bool { queue.steps.isEmpty }
  /// New tasks must start before the clock advances, as on a machine that is not overloaded.
  var letsTimePass: Bool { !queue.hasStarting }
  var timerCount: Int { virtualClock.sleeperCount }
  var looks: Int { virtualClock.lookCount }
  func run(at index: Int) { queue.run(at: index) }
  func begin(_ step: Step) { queue.begin(step) }
  func reset() -> Bool {
    guard queue.steps.isEmpty, queue.escape == nil, virtualClock.sleeperCount == 0 else { return false }
    queue.reset()
    virtualClock.reset()
    return true
  }
  func advanceClock() { virtualClock.advance() }
  var clock: @Sendable () -> UInt64 { { [virtualClock] in virtualClock.nanoseconds } }
  func perform(_ body: () -> Void) { queue.catching(body) }
  var cause: UInt64 { queue.cause }
  var wasCancelled: Bool? { queue.wasCancelled }
  var stateHash: UInt64 { queue.stateHash &+ virtualClock.stateHash }
  var escape: String? {
    queue.adoptForeign()
    return queue.escape?.rawValue
  }
}
