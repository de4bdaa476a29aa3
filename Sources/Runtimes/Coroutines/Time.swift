import Dispatch
import Foundation
import RuntimeSupport
import Timers

/// A clock that calls back later: ``system``, or a `ManualCoTimer`, whose time passes only when a test advances it.
///
/// A scheduled call is an entry in a heap, ordered by deadline, and needs no thread, so a million calls may be pending.
public class CoTimer: @unchecked Sendable {
  // Invariant: `heap` is touched under `lock`, which is never held while unknown code runs.
  private let lock = CoLock()
  @exclusivity(unchecked) private var heap = TimerHeap<ListedTimer>()

  init() {}

  /// The timer of the machine's monotonic clock. All scheduled work runs on a single thread, so it must be short.
  public static var system: CoTimer { SystemTimer.shared }

  /// The time since an unspecified moment.
  public final var now: Duration { .nanoseconds(nowNanoseconds) }

  /// The number of scheduled calls that are not due yet.
  public final var pendingCount: Int { lock.withLock { heap.count } }

  /// Calls `work` once after a delay, unless the returned object cancels it. A delay of zero or less means as soon as possible.
  @discardableResult
  public final func schedule(after duration: Duration, _ work: @escaping @Sendable () -> Void)
    -> ScheduledWork
  {
    ScheduledWork(timer: self, deadlineNanoseconds: deadlineNanoseconds(after: duration), work)
  }

  /// Scheduled work, which can be cancelled.
  public final class ScheduledWork: @unchecked Sendable {
    // Invariant: `entry` is allocated in init and freed in deinit. While it is in the timer's heap, the heap retains this object.
    // Only the thread that removed the entry touches `work` afterwards.
    private let timer: CoTimer
    private let entry = UnsafeMutablePointer<TimerEntry>.allocate(capacity: 1)
    @exclusivity(unchecked) private var work: (@Sendable () -> Void)?

    fileprivate init(timer: CoTimer, deadlineNanoseconds: Int64, _ work: @escaping @Sendable () -> Void) {
      self.timer = timer
      self.work = work
      entry.initialize(
        to: TimerEntry(
          deadlineNanoseconds: deadlineNanoseconds, action: .run(Unmanaged.passUnretained(self))))
      _ = Unmanaged.passRetained(self)
      timer.insert(entry)
    }

    deinit { entry.deallocate() }

    /// Cancels and releases the work. Returns false if it has begun or was cancelled before.
    @discardableResult public func cancel() -> Bool {
      guard timer.remove(entry) else { return false }
      work = nil
      Unmanaged.passUnretained(self).release()
      return true
    }

    fileprivate func run() { work.take()?() }
  }

  /// The time after a delay, clamped to the latest time that an `Int64` of nanoseconds can hold.
  final func deadlineNanoseconds(after duration: Duration) -> Int64 {
    let (sum, overflow) = nowNanoseconds.addingReportingOverflow(duration.saturatedNanoseconds)
    return overflow ? .max : sum
  }

  final func insert(_ entry: UnsafeMutablePointer<TimerEntry>) {
    let isFirst = lock.withLock {
      defer { heap.insert(ListedTimer(entry: entry)) }
      return heap.firstDeadlineNanoseconds.map { entry.pointee.deadlineNanoseconds < $0 } ?? true
    }
    if isFirst { firstDeadlineChanged() }
  }

  /// Removes the entry from the timer's heap. Returns false if the entry has already become due and left the heap.
  @discardableResult final func remove(_ entry: UnsafeMutablePointer<TimerEntry>) -> Bool {
    lock.withLock { heap.remove(ListedTimer(entry: entry)) }
  }

  var nowNanoseconds: Int64 { preconditionFailure("a subclass must override nowNanoseconds") }

  /// Called when a new entry is due before all others in the timer's heap.
  func firstDeadlineChanged() {}

  final var firstDeadlineNanoseconds: Int64? { lock.withLock { heap.firstDeadlineNanoseconds } }

  /// Fires the first timer that is due by `deadline`. Returns whether there was one.
  final func fireFirst(dueByNanoseconds deadline: Int64) -> Bool {
    lock.lock()
    guard let entry = heap.removeFirst(dueBy: deadline)?.entry else {
      lock.unlock()
      return false
    }
    switch entry.pointee.action {
    case .resume(let suspension):
      // Claims the wait under the lock: `entry` lies on the coroutine's stack and is gone once the coroutine continues.
      let claim = suspension.claim()
      lock.unlock()
      if let claim { suspension.finish(claim) }
    case .run(let work):
      lock.unlock()
      work.takeRetainedValue().run()
    }
    return true
  }
}

/// A deadline, and the action to take at that time.
struct TimerEntry {
  // Invariant: an entry lies on a waiting coroutine's stack or in a `ScheduledWork`. While it is listed in the timer's heap, the
  // timer's lock guards it.
  enum Action {
    case resume(Suspension)
    /// Runs the work. The timer's heap holds one reference to it.
    case run(Unmanaged<CoTimer.ScheduledWork>)
  }

  let deadlineNanoseconds: Int64
  let action: Action
  var heapPosition: Int?
}

struct ListedTimer: HeapTimer {
  let entry: UnsafeMutablePointer<TimerEntry>

  var deadlineNanoseconds: Int64 { entry.pointee.deadlineNanoseconds }
  var heapPosition: Int? {
    get { entry.pointee.heapPosition }
    nonmutating set { entry.pointee.heapPosition = newValue }
  }
}

/// The machine's monotonic clock. One Dispatch source serves all its timers.
final class SystemTimer: CoTimer, @unchecked Sendable {
  // Invariant: `firstDeadlineChanged` holds the lock `arming` while it reads the heap's first deadline and sets `source` to
  // it. So an outdated deadline never replaces a newer one.
  static let shared = SystemTimer()
  private let arming = NSLock()
  private let source: any DispatchSourceTimer

  private override init() {
    source = DispatchSource.makeTimerSource(flags: .strict, queue: DispatchQueue(label: "coroutines.timer"))
    super.init()
    source.setEventHandler { [unowned self] in
      while fireFirst(dueByNanoseconds: nowNanoseconds) {}
      firstDeadlineChanged()
    }
    source.activate()
  }

  override var nowNanoseconds: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

  override func firstDeadlineChanged() {
    arming.lock()
    defer { arming.unlock() }
    guard let deadline = firstDeadlineNanoseconds else { return }
    source.schedule(
      deadline: DispatchTime(uptimeNanoseconds: UInt64(max(1, deadline))), leeway: .nanoseconds(0))
  }
}

/// A timer whose time passes only when it is advanced, for tests.
public final class ManualCoTimer: CoTimer, @unchecked Sendable {
  // Invariant: `clockLock` guards `elapsedNanoseconds` and the read counter `looks`. Only one thread advances the clock.
  private let clockLock = CoLock()
  @exclusivity(unchecked) private var elapsedNanoseconds: Int64 = 0
  @exclusivity(unchecked) private var looks = 0

  /// Makes a clock whose time is zero.
  public override init() {}

  /// Advances the time; a negative duration traps. Runs on this thread all work that becomes due, each item at its deadline,
  /// including work that is scheduled by other work.
  public func advance(by duration: Duration = .zero) {
    precondition(duration >= .zero, "a clock cannot advance by \(duration): pass zero or more")
    let end = deadlineNanoseconds(after: duration)
    while let next = firstDeadlineNanoseconds, next <= end {
      move(to: max(next, nowNanoseconds))
      _ = fireFirst(dueByNanoseconds: next)
    }
    move(to: end)
  }

  /// Advances to the next deadline and fires it. Returns false if there is none.
  @discardableResult public func advanceToNext() -> Bool {
    guard let next = firstDeadlineNanoseconds else { return false }
    advance(by: .nanoseconds(max(0, next - nowNanoseconds)))
    return true
  }

  /// The number of times that the clock was read. Scheduling also reads it.
  package var lookCount: Int { clockLock.withLock { looks } }

  override var nowNanoseconds: Int64 {
    clockLock.withLock {
      looks += 1
      return elapsedNanoseconds
    }
  }

  private func move(to nanoseconds: Int64) { clockLock.withLock { elapsedNanoseconds = nanoseconds } }
}

extension Coroutine {
  /// Waits without blocking a thread. Call it inside a coroutine. Returns immediately if the duration is not positive. Without
  /// a scheduler, the coroutine resumes on the timer's thread.
  ///
  /// - Throws: `CancellationError` if the coroutine is cancelled before or during the wait.
  public static func delay(_ duration: Duration, on timer: CoTimer = .system) throws {
    let fiber = try FiberPointer.current()
    try fiber.checkCancellation()
    if duration <= .zero { return }
    let suspension = fiber.open()
    var entry = TimerEntry(
      deadlineNanoseconds: timer.deadlineNanoseconds(after: duration), action: .resume(suspension))
    try withUnsafeMutablePointer(to: &entry) { entry in
      timer.insert(entry)
      if fiber.park() {
        timer.remove(entry)
        throw CancellationError()
      }
    }
  }

  /// Runs `body`, and cancels what it awaits when the time is up. Call it inside a coroutine.
  ///
  /// The timeout also cancels the groups that `body` runs, but ends no wait inside `shielded`. The call returns as soon as
  /// `body` does. If the duration is not positive, `body` never begins.
  ///
  /// - Throws: `CoroutineError.timedOut` if the time was up before `body` ended, otherwise the error of `body`.
  public static func withTimeout<Value>(
    _ duration: Duration, on timer: CoTimer = .system, _ body: () throws -> Value
  ) throws -> Value {
    let fiber = try FiberPointer.current()
    try fiber.checkCancellation()
    if duration <= .zero { throw CoroutineError.timedOut }
    var region = CancellationRegion(in: fiber)
    return try withUnsafeMutablePointer(to: &region) { region in
      let limit = TimeLimit(fiber: fiber, region: region)
      region.enter(fiber)
      let work = timer.schedule(after: duration) { limit.expire() }
      let result = Result { try body() }
      work.cancel()
      let isTimedOut = limit.end()
      region.leave(fiber)
      if isTimedOut { throw CoroutineError.timedOut }
      return try result.get()
    }
  }
}

/// Decides whether the time limit or the body of `withTimeout` came to its end first.
private final class TimeLimit: @unchecked Sendable {
  // Invariant: the variables are touched under `lock`. Other threads touch `fiber` and `region` only while `isOver` is false.
  private let lock = CoLock()
  private let fiber: FiberPointer
  private let region: UnsafeMutablePointer<CancellationRegion>
  @exclusivity(unchecked) private var isOver = false
  @exclusivity(unchecked) private var isExpired = false

  init(fiber: FiberPointer, region: UnsafeMutablePointer<CancellationRegion>) {
    self.fiber = fiber
    self.region = region
  }

  func expire() {
    let claim = lock.withLock { () -> Claim? in
      if isOver { return nil }
      isExpired = true
      return region.cancel(fiber)
    }
    if claim == .parked { fiber.makeReady() }
  }

  func end() -> Bool {
    lock.withLock {
      isOver = true
      return isExpired
    }
  }
}
