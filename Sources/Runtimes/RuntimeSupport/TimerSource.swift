import Dispatch
import Synchronization
import Timers

/// Where timers get their time from: ``system``, or a ``ManualTimerSource`` that stands still until it is advanced.
///
/// `@unchecked Sendable`: the one variable is the heap, under its lock.
public class TimerSource: @unchecked Sendable {
  /// The source of timers that are made in this task, or on this thread outside of tasks.
  @TaskLocal public static var current: TimerSource = system

  /// The machine's monotonic clock.
  public static let system: TimerSource = SystemTimerSource()

  let heap = Mutex(TimerHeap<OneShotTimer>())

  init() {}

  /// The time since an unspecified moment.
  public final var now: Duration { .nanoseconds(nowNanoseconds) }

  /// How many timers have neither become due nor been cancelled.
  public final var pendingCount: Int { heap.withLock { $0.count } }

  var nowNanoseconds: Int64 { preconditionFailure("a source overrides this") }

  func insert(_ timer: OneShotTimer) { heap.withLock { $0.insert(timer) } }

  final func remove(_ timer: OneShotTimer) { heap.withLock { _ = $0.remove(timer) } }

  /// The moment after a delay, or the last one there is.
  final func deadlineNanoseconds(after delay: Duration) -> Int64 {
    let (sum, overflows) = nowNanoseconds.addingReportingOverflow(delay.wholeNanoseconds)
    return overflows ? .max : sum
  }
}

/// The machine's monotonic clock, and one Dispatch source for all timers, which is cheaper than a source for each.
///
/// The source is armed for the first deadline. A cancellation does not change it, so it may wake without a timer being due.
///
/// `@unchecked Sendable`: `armedNanoseconds` is touched under the heap's lock, and a Dispatch source may be used from any
/// thread.
final class SystemTimerSource: TimerSource, @unchecked Sendable {
  private let source: any DispatchSourceTimer
  /// The deadline that the source is set for.
  @exclusivity(unchecked) private var armedNanoseconds = Int64.max

  override init() {
    source = DispatchSource.makeTimerSource(flags: .strict, queue: DispatchQueue(label: "runtime-timers"))
    super.init()
    source.setEventHandler { [unowned self] in fireDue() }
    source.activate()
  }

  override var nowNanoseconds: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

  override func insert(_ timer: OneShotTimer) {
    heap.withLock {
      $0.insert(timer)
      if timer.deadlineNanoseconds < armedNanoseconds { arm(timer.deadlineNanoseconds) }
    }
  }

  /// Each callback is a block of its own on its queue, because it may block.
  private func fireDue() {
    let now = nowNanoseconds
    var due: [OneShotTimer] = []
    heap.withLock {
      while let timer = $0.removeFirst(dueBy: now) { due.append(timer) }
      if let next = $0.firstDeadlineNanoseconds { arm(next) } else { armedNanoseconds = .max }
    }
    for timer in due { timer.queue.async { timer.fire() } }
  }

  /// Only under the heap's lock, so that the last caller sets the source.
  private func arm(_ deadlineNanoseconds: Int64) {
    armedNanoseconds = deadlineNanoseconds
    // Dispatch takes 0 for now and the highest value for never.
    source.schedule(
      deadline: DispatchTime(uptimeNanoseconds: UInt64(max(1, deadlineNanoseconds))),
      leeway: .nanoseconds(0))
  }
}

/// A clock that stands still until it is advanced: timers become due one after another, on the advancing thread.
///
///     let source = ManualTimerSource()
///     TimerSource.$current.withValue(source) {
///       // What starts here, and on this thread by timers that become due, waits for `source`.
///       while source.advanceToNext() {}
///     }
///
/// `@unchecked Sendable`: what it adds to `TimerSource` is atomic.
public final class ManualTimerSource: TimerSource, @unchecked Sendable {
  private let elapsed = Atomic<Int64>(0)

  public override init() { super.init() }

  override var nowNanoseconds: Int64 { elapsed.load(ordering: .acquiring) }

  /// Lets time pass. Each timer that becomes due is called back on this thread, at its deadline, in order; so are timers that
  /// are started meanwhile. One thread at a time may do this.
  public func advance(by duration: Duration = .zero) {
    let end = deadlineNanoseconds(after: duration)
    while let timer = heap.withLock({ $0.removeFirst(dueBy: end) }) { fire(timer) }
    move(to: end)
  }

  /// Advances to the next timer and calls it back. Returns false if there is none.
  @discardableResult public func advanceToNext() -> Bool {
    guard let timer = heap.withLock({ $0.removeFirst(dueBy: .max) }) else { return false }
    fire(timer)
    return true
  }

  private func fire(_ timer: OneShotTimer) {
    move(to: timer.deadlineNanoseconds)
    timer.fire()
  }

  private func move(to nanoseconds: Int64) { elapsed.max(nanoseconds, ordering: .acquiringAndReleasing) }
}

extension Duration {
  /// Whole nanoseconds, at least 0; clamped to about 292 years.
  public var wholeNanoseconds: Int64 { max(0, saturatedNanoseconds) }

  /// Whole nanoseconds, which may be negative; clamped to what fits.
  public var saturatedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (nanoseconds, overflows) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooLong || overflows ? (seconds < 0 ? .min : .max) : nanoseconds
  }
}

/// Calls back once after a delay, unless it is cancelled first.
///
/// A hundred thousand at once are fine: each is one object and a place in a heap; see ``TimerSource``.
///
/// `@unchecked Sendable`: `heapPosition` is touched under the source's lock; the rest is immutable or under a lock of its own.
public final class OneShotTimer: HeapTimer, @unchecked Sendable {
  public let deadlineNanoseconds: Int64
  let queue: DispatchQueue
  @exclusivity(unchecked) public var heapPosition: Int?
  private let source: TimerSource
  private let callback: Mutex<(@Sendable () -> Void)?>

  /// Starts the timer, on the source that is current here. A delay below zero counts as none.
  /// - Parameter queue: where the system's timers call back.
  public init(
    after delay: Duration, on queue: DispatchQueue = .global(), _ fire: @escaping @Sendable () -> Void
  ) {
    source = .current
    deadlineNanoseconds = source.deadlineNanoseconds(after: delay)
    self.queue = queue
    callback = Mutex(fire)
    source.insert(self)
  }

  /// Releases the callback, which is not called any more unless it is running at this moment.
  public func cancel() {
    source.remove(self)
    _ = take()
  }

  /// Calls back, unless the timer was cancelled meanwhile.
  func fire() { take()?() }

  private func take() -> (@Sendable () -> Void)? { callback.withLock { $0.take() } }
}
