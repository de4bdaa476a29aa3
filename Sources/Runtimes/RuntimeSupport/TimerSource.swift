import Dispatch
import Synchronization
import Timers

/// The clock of timers: ``system``, or a ``ManualTimerSource``, whose time passes only when it is advanced.
///
/// `@unchecked Sendable`: the only variable, the heap, is protected by a lock.
public class TimerSource: @unchecked Sendable {
  /// The clock of timers that are made in this task or, outside of tasks, on this thread.
  @TaskLocal public static var current: TimerSource = system

  public static let system: TimerSource = SystemTimerSource()

  let heap = Mutex(TimerHeap<OneShotTimer>())

  init() {}

  /// The time since an unspecified moment.
  public final var now: Duration { .nanoseconds(nowNanoseconds) }

  /// The number of timers that are still waiting: neither due nor cancelled.
  public final var pendingCount: Int { heap.withLock { $0.count } }

  var nowNanoseconds: Int64 { preconditionFailure("a subclass must override nowNanoseconds") }

  func insert(_ timer: OneShotTimer) { heap.withLock { $0.insert(timer) } }

  final func remove(_ timer: OneShotTimer) { heap.withLock { _ = $0.remove(timer) } }

  /// The time after a delay, clamped to `Int64.max`.
  final func deadlineNanoseconds(after delay: Duration) -> Int64 {
    let (sum, overflows) = nowNanoseconds.addingReportingOverflow(delay.wholeNanoseconds)
    return overflows ? .max : sum
  }
}

/// The machine's monotonic clock. One Dispatch source serves all timers, which is cheaper than a source for each.
///
/// `@unchecked Sendable`: `armedNanoseconds` is touched under the heap's lock, and any thread may use a Dispatch source.
final class SystemTimerSource: TimerSource, @unchecked Sendable {
  private let source: any DispatchSourceTimer
  /// The deadline for which the Dispatch source is set, perhaps that of a cancelled timer.
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

  /// Calls back the due timers, each in a block of its own, because a callback may block.
  private func fireDue() {
    let now = nowNanoseconds
    var due: [OneShotTimer] = []
    heap.withLock {
      while let timer = $0.removeFirst(dueBy: now) { due.append(timer) }
      if let next = $0.firstDeadlineNanoseconds { arm(next) } else { armedNanoseconds = .max }
    }
    for timer in due { timer.queue.async { timer.fire() } }
  }

  /// Sets the Dispatch source to fire at a deadline. Called under the heap's lock, so that the latest call has effect.
  private func arm(_ deadlineNanoseconds: Int64) {
    armedNanoseconds = deadlineNanoseconds
    // To Dispatch, 0 means now, and the highest value means never.
    source.schedule(
      deadline: DispatchTime(uptimeNanoseconds: UInt64(max(1, deadlineNanoseconds))),
      leeway: .nanoseconds(0))
  }
}

/// A clock whose time passes only when it is advanced. Timers become due one after another, on the advancing thread.
///
///     let source = ManualTimerSource()
///     TimerSource.$current.withValue(source) {
///       // Timers that start here, or in callbacks of these timers, use `source`.
///       while source.advanceToNext() {}
///     }
///
/// `@unchecked Sendable`: `elapsed` is atomic.
public final class ManualTimerSource: TimerSource, @unchecked Sendable {
  private let elapsed = Atomic<Int64>(0)

  public override init() { super.init() }

  override var nowNanoseconds: Int64 { elapsed.load(ordering: .acquiring) }

  /// Advances the time and calls back, on this thread and in order, each timer that becomes due, even one that such a callback
  /// starts. A callback sees its deadline as the time. One thread at a time may call this.
  public func advance(by duration: Duration = .zero) {
    let end = deadlineNanoseconds(after: duration)
    while let timer = heap.withLock({ $0.removeFirst(dueBy: end) }) { fire(timer) }
    move(to: end)
  }

  /// Advances the time to the first timer's deadline and calls that timer back. Returns false if there is no timer.
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
  /// The number of whole nanoseconds, clamped to the range from 0 to about 292 years.
  public var wholeNanoseconds: Int64 { max(0, saturatedNanoseconds) }

  /// The number of whole nanoseconds, clamped to what an `Int64` can hold.
  public var saturatedNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}

/// A timer that calls back once after a delay, unless it is cancelled first.
///
/// `@unchecked Sendable`: `heapPosition` is touched under the lock of the source's heap. The rest is immutable or has a lock.
public final class OneShotTimer: HeapTimer, @unchecked Sendable {
  public let deadlineNanoseconds: Int64
  let queue: DispatchQueue
  @exclusivity(unchecked) public var heapPosition: Int?
  private let source: TimerSource
  private let callback: Mutex<(@Sendable () -> Void)?>

  /// Starts the timer on ``TimerSource/current``. A negative delay counts as none.
  /// - Parameter queue: the queue of the callback. A ``ManualTimerSource`` ignores it.
  public init(
    after delay: Duration, on queue: DispatchQueue = .global(), _ fire: @escaping @Sendable () -> Void
  ) {
    source = .current
    deadlineNanoseconds = source.deadlineNanoseconds(after: delay)
    self.queue = queue
    callback = Mutex(fire)
    source.insert(self)
  }

  /// Releases the callback, so that the timer does not call it. A callback that is already running continues.
  public func cancel() {
    source.remove(self)
    _ = take()
  }

  func fire() { take()?() }

  private func take() -> (@Sendable () -> Void)? { callback.withLock { $0.take() } }
}
