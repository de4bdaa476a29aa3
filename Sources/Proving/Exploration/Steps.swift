import Coroutines
import RuntimeSupport
import UploadScenario

/// What a contender has left to do by itself: it does nothing of it until it is told to, and then on this thread.
protocol Steps: AnyObject {
  /// How many pieces of work could go on now.
  var readyCount: Int { get }
  /// How many timers wait for the clock.
  var timerCount: Int { get }
  /// Lets one piece of work run, until it waits or ends.
  func runReady(at index: Int)
  /// Moves the clock on to the next timer, which calls back.
  func advanceClock()
  /// Whether it goes on with what it is told before the call returns.
  var areInline: Bool { get }
  /// Its time, which stands still.
  var clock: @Sendable () -> UInt64 { get }
  /// Whatever is started within goes by this clock.
  func perform(_ body: () -> Void)
}

/// What goes on inside the answers it waits for, on the thread that gives them; timers alone come by themselves.
final class TimerSteps: Steps {
  private let source = ManualTimerSource()
  let areInline = true

  var readyCount: Int { 0 }
  var timerCount: Int { source.pendingCount }
  func runReady(at index: Int) {}
  func advanceClock() { source.advanceToNext() }
  var clock: @Sendable () -> UInt64 { { [source] in source.now.unsignedNanoseconds } }
  func perform(_ body: () -> Void) { TimerSource.$current.withValue(source, operation: body) }
}

/// Coroutines that are ready wait to be chosen.
final class CoroutineSteps: Steps, CoroutineScheduler, @unchecked Sendable {
  // Invariant: one thread alone explores, and all coroutines run on it: only that thread schedules one.
  private var ready: [@Sendable () -> Void] = []
  let timer = ManualCoTimer()
  let areInline = false

  var readyCount: Int { ready.count }
  var timerCount: Int { timer.pendingCount }
  func schedule(_ work: @escaping @Sendable () -> Void) { ready.append(work) }
  func runReady(at index: Int) { ready.remove(at: index)() }
  func advanceClock() { timer.advanceToNext() }
  var clock: @Sendable () -> UInt64 { { [timer] in timer.now.unsignedNanoseconds } }
  func perform(_ body: () -> Void) { body() }
}
