import Dispatch
import Synchronization
import Timers

/// The clock of timers: ``system``, or a ``ManualTimerSource``, whose time passes only when it is advanced.
///
/// `@unchecked Sendable`: the only variable is the heap, which has a lock.
public class TimerSource: @unchecked Sendable {
  /// The source for timers that are made in this task or, outside of tasks, on this thread.
  @TaskLocal public static var current: TimerSource = system

  /// The machine's monotonic clock.
  public static let system: TimerSource = SystemTimerSource()

  let heap = Mutex(TimerHeap<OneShotTimer>())

  init() {}

  /// The time since an unspecified moment.
  public final var now: Duration { .nanoseconds(nowNanoseconds) }

  /// The number of timers that have neither become due nor been cancelled.
  public final var pendingCount: Int { heap.withLock { $0.count } }

  var nowNanoseconds: Int64 { preconditionFailure("a subclass must override nowNanoseconds") }

  func insert(_ timer: OneShotTimer) { heap.withLock { $0.insert(timer) } }

  final func remove(_ timer: OneShotTimer) { heap.withLock { _ = $0.remove(timer) } }

  /// The moment after a delay, clamped to the latest one that an `Int64` can hold.
  final func deadlineNanoseconds(after delay: Duration) -> Int64 {
    let (sum, overflows) = nowNanoseconds.addingReportingOverflow(delay.wholeNanoseconds)
    return overflows ? .max : sum
  }
}

/// The machine's monotonic clock. One Dispatch source serves all timers, which is cheaper than a source for each.
///
/// The source is armed for the first deadline. A cancellation leaves it armed, so it may fire when no timer is due.
///
/// `@unchecked Sendable`: `armedNanoseconds` is touched under the heap's lock, and any thread may use a Dispatch source.
final class SystemTimerSource: TimerSource, @unchecked Sendable {
  private let source: any DispatchSourceTimer
  /// The deadline for which the source is armed.
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

  /// Calls back the timers that are due. Each callback is a separate block on its queue, because it may block.
  private func fireDue() {
    let now = nowNanoseconds
    var due: [OneShotTimer] = []
    heap.withLock {
      while let timer = $0.removeFirst(dueBy: now) { due.append(timer) }
      if let next = $0.firstDeadlineNanoseconds { arm(next) } else { armedNanoseconds = .max }
    }
    for timer in due { timer.queue.async { timer.fire() } }
  }

  /// Arms the source for a deadline. Call it under the heap's lock, so that the latest deadline is armed last.
  private func arm(_ deadlineNanoseconds: Int64) {
    armedNanoseconds = deadlineNanoseconds
    // Dispatch takes 0 for the current time and the highest value for no deadline.
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
/// `@unchecked Sendable`: the only variable that this class adds is atomic.
public final class ManualTimerSource: TimerSource, @unchecked Sendable {
  private let elapsed = Atomic<Int64>(0)

  public override init() { super.init() }

  override var nowNanoseconds: Int64 { elapsed.load(ordering: .acquiring) }

  /// Advances the time. Calls back each timer that becomes due on this thread, in order and at its deadline, including timers
  /// that are started during the call. One thread at a time may call this.
  public func advance(by duration: Duration = .zero) {
    let end = deadlineNanoseconds(after: duration)
    while let timer = heap.withLock({ $0.removeFirst(dueBy: end) }) { fire(timer) }
    move(to: end)
  }

  /// Advances to the next timer's deadline and calls it back. Returns false if there is no timer.
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
/// Each timer is one object and an entry in the heap of a ``TimerSource``, so a hundred thousand timers may be pending.
///
/// `@unchecked Sendable`: `heapPosition` is touched under the lock of the source's heap. The rest is immutable or has a lock.
public final class OneShotTimer: HeapTimer, @unchecked Sendable {
  public let deadlineNanoseconds: Int64
  let queue: DispatchQueue
  @exclusivity(unchecked) public var heapPosition: Int?
  private let source: TimerSource
  private let callback: Mutex<(@Sendable () -> Void)?>

  /// Starts the timer on ``TimerSource/current``. A negative delay counts as none.
  /// - Parameter queue: where the timer calls back, unless its source is a ``ManualTimerSource``.
  public init(
    after delay: Duration, on queue: DispatchQueue = .global(), _ fire: @escaping @Sendable () -> Void
  ) {
    source = .current
    deadlineNanoseconds = source.deadlineNanoseconds(after: delay)
    self.queue = queue
    callback = Mutex(fire)
    source.insert(self)
  }

  /// Releases the callback, which is then not called any more. A callback that is already running continues.
  public func cancel() {
    source.remove(self)
    _ = take()
  }

  /// Calls back unless the timer was cancelled.
  func fire() { take()?() }

  private func take() -> (@Sendable () -> Void)? { callback.withLock { $0.take() } }
}
