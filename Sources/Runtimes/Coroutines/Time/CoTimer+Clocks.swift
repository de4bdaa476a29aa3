import Dispatch
import Foundation

/// The machine's monotonic clock, and one timer source for all that wait for it.
final class SystemTimer: CoTimer, @unchecked Sendable {
  // Invariant: the source is armed under `arming`, for what the heap says then, so whoever comes last arms it right.
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

/// A timer whose time passes only when it is told to, for tests.
public final class ManualCoTimer: CoTimer, @unchecked Sendable {
  // Invariant: `elapsed` is touched under `clockLock`. One thread at a time advances.
  private let clockLock = CoLock()
  @exclusivity(unchecked) private var elapsedNanoseconds: Int64 = 0

  /// Its time begins at zero, and stands still.
  public override init() {}

  /// Lets time pass, which traps if it is negative. What becomes due, and what is scheduled meanwhile, happens on this
  /// thread, each at its own moment.
  public func advance(by duration: Duration = .zero) {
    precondition(duration >= .zero, "time does not go back: \(duration)")
    let end = deadlineNanoseconds(after: duration)
    while let next = firstDeadlineNanoseconds, next <= end {
      move(to: max(next, nowNanoseconds))
      _ = fireFirst(dueByNanoseconds: next)
    }
    move(to: end)
  }

  /// Lets time pass until the next one is due, which happens. Returns false if there is none.
  @discardableResult public func advanceToNext() -> Bool {
    guard let next = firstDeadlineNanoseconds else { return false }
    advance(by: .nanoseconds(max(0, next - nowNanoseconds)))
    return true
  }

  override var nowNanoseconds: Int64 { clockLock.withLock { elapsedNanoseconds } }

  private func move(to nanoseconds: Int64) { clockLock.withLock { elapsedNanoseconds = nanoseconds } }
}
