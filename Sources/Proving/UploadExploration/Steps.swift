import Coroutines
import Exploration
import RuntimeSupport
import UploadScenario

/// What a contender has left to do by itself: it does nothing of it until it is told to, and then on this thread.
protocol Steps: AnyObject {
  /// What could go on now.
  var ready: [Step] { get }
  /// Whether time may pass before those have gone on.
  var letsTimePass: Bool { get }
  /// How many timers wait for the clock.
  var timerCount: Int { get }
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
  /// Whose tasks these are: see `StepQueue.ancestors`; nil: it is not known what they share.
  func ancestors(of lane: UInt64) -> [UInt64]?
  /// Whether the last step has made a task.
  var hasMadeTask: Bool { get }
  /// What it does elsewhere, where it cannot be told to; nil: nothing was seen.
  var escape: String? { get }
}

extension Steps {
  var letsTimePass: Bool { true }
  func ancestors(of lane: UInt64) -> [UInt64]? { nil }
  var hasMadeTask: Bool { false }
}

/// What goes on inside the answers it waits for, on the thread that gives them; timers alone come by themselves.
final class TimerSteps: Steps {
  private let source = ManualTimerSource()
  let areInline = true
  let ready: [Step] = []
  var escape: String? { nil }

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
  private var work: [@Sendable () -> Void] = []
  private(set) var ready: [Step] = []
  private var causes = Causes()
  let timer = ManualCoTimer()
  let areInline = false
  var escape: String? { nil }

  var timerCount: Int { timer.pendingCount }
  func begin(_ step: Step) { causes.begin(step) }
  func schedule(_ work: @escaping @Sendable () -> Void) {
    self.work.append(work)
    ready.append(causes.next())
  }
  func run(at index: Int) {
    begin(ready.remove(at: index))
    work.remove(at: index)()
  }
  func advanceClock() { timer.advanceToNext() }
  var clock: @Sendable () -> UInt64 { { [timer] in timer.now.unsignedNanoseconds } }
  func perform(_ body: () -> Void) { body() }
}

/// Tasks of async/await that are ready wait to be chosen, wherever they would run.
final class TaskSteps: Steps {
  private let queue = StepQueue()
  let virtualClock = VirtualClock()
  let areInline = false
  private let isStructured: Bool

  /// - Parameter isStructured: tasks share groups, their cancellation and the service with those that made them, and nothing else.
  init(isStructured: Bool) { self.isStructured = isStructured }

  func ancestors(of lane: UInt64) -> [UInt64]? { isStructured ? queue.ancestors(of: lane) : nil }
  var hasMadeTask: Bool { queue.hasMadeTask }

  var ready: [Step] { queue.steps }
  /// A task that was made starts before its siblings' sleeps are over, as on any machine that is not overloaded.
  var letsTimePass: Bool { !queue.hasStarting }
  var timerCount: Int { virtualClock.sleeperCount }
  func run(at index: Int) { queue.run(at: index) }
  func begin(_ step: Step) { queue.begin(step) }
  func advanceClock() { virtualClock.advance() }
  var clock: @Sendable () -> UInt64 { { [virtualClock] in virtualClock.now.offset.unsignedNanoseconds } }
  func perform(_ body: () -> Void) { queue.catching(body) }
  var escape: String? {
    queue.adoptForeign()
    return queue.escape?.rawValue
  }
}
