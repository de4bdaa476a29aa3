import Conformance
import Coroutines
import Exploration
import RuntimeSupport
import UploadScenario

/// What a contender has left to do by itself: it does nothing of it until it is told to, and then on this thread.
protocol Steps: AnyObject {
  /// What could go on now.
  var ready: [Step] { get }
  /// Whether nothing could.
  var isIdle: Bool { get }
  /// Whether time may pass before those have gone on.
  var letsTimePass: Bool { get }
  /// How many timers wait for the clock.
  var timerCount: Int { get }
  /// How often somebody has asked what time it is; whoever sets a timer does.
  var looks: Int { get }
  /// Lets one of those that are ready go on, until it waits or ends.
  func run(at index: Int)
  /// What becomes ready from now on does so because of this step.
  func begin(_ step: Step)
  /// Moves the clock on to the next timer, which calls back.
  func advanceClock()
  /// Whether it goes on with what it is told before the call returns.
  var areInline: Bool { get }
  /// Its time, which stands still.
  var clock: @Sendable () -> UInt64 { get }
  /// Whatever is started within goes by this clock.
  func perform(_ body: () -> Void)
  /// Who takes the step: a task, or a coroutine.
  func owner(of step: Step) -> UInt64
  /// The one in whose steps it was made; 0: none; nil: it is not known what they share.
  func parent(of owner: UInt64) -> UInt64?
  /// Whether one that waits for nothing has ended, and its parent alone can tell what it has gone through.
  var endsAreSeen: Bool { get }
  /// Whether the last step has made a task.
  var hasMadeTask: Bool { get }
  /// What it does elsewhere, where it cannot be told to; nil: nothing was seen.
  var escape: String? { get }
  /// What has made the last step ready.
  var cause: UInt64 { get }
  /// Whether who took it had been told to stop; nil: it began with it, and nobody can tell.
  var wasCancelled: Bool? { get }
  /// Forgets what was, for the next schedule; false: something is left of it, and who starts anew takes new ones.
  func reset() -> Bool
  /// Tells apart what is ready, and why, and which timers wait.
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

/// What goes on inside the answers it waits for, on the thread that gives them; timers alone come by themselves.
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

/// Coroutines that are ready wait to be chosen.
final class CoroutineSteps: Steps, CoroutineScheduler, @unchecked Sendable {
  // Invariant: one thread alone explores, and all coroutines run on it: only that thread schedules one.
  private struct Work {
    /// What begins with it; nil: the coroutine goes on.
    let begins: (@Sendable () -> Void)?
    let coroutine: ReadyCoroutine?
    /// Who takes the step.
    let taker: UInt64
    /// What has made it ready.
    let cause: UInt64

    /// nil: it has not begun.
    var isCancelled: Bool? { coroutine?.isCancelled }
  }

  /// A coroutine; one that another has started where it ran counts as that one.
  private struct Owner {
    let id: UInt64
    /// In whose steps it was started; 0: in none.
    let parent: UInt64
    /// Names those that it starts.
    var made = Causes()
    /// How often it was made ready.
    var turns: UInt64 = 0

    init(id: UInt64, parent: UInt64) {
      (self.id, self.parent) = (id, parent)
      made.begin(Step(id: ~id))
    }
  }

  private var work: [Work] = []
  private(set) var ready: [Step] = []
  /// What makes others ready now.
  private var origin: UInt64 = 0
  private(set) var cause: UInt64 = 0
  private(set) var wasCancelled: Bool?
  private var owners: [Owner] = []
  private var causes = Causes()
  /// Who has taken the last step; 0: it was none of theirs.
  private var running: UInt64 = 0
  let timer = ManualCoTimer()
  /// When the schedule began.
  private var start: UInt64 = 0
  /// How long ago that is; nil: the clock is about to say.
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

/// Tasks of async/await that are ready wait to be chosen, wherever they would run.
final class TaskSteps: Steps {
  private let queue = StepQueue()
  let virtualClock = VirtualClock()
  let areInline = false
  private let isStructured: Bool

  /// - Parameter isStructured: tasks share groups, their cancellation and the service with those that made them, and nothing else.
  init(isStructured: Bool) { self.isStructured = isStructured }

  func parent(of owner: UInt64) -> UInt64? { isStructured ? queue.parent(of: owner) : nil }
  let endsAreSeen = true
  var hasMadeTask: Bool { queue.hasMadeTask }

  var ready: [Step] { queue.steps }
  var isIdle: Bool { queue.steps.isEmpty }
  /// A task that was made starts before its siblings' sleeps are over, as on any machine that is not overloaded.
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
