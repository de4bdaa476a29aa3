/// A timer whose time passes only when it is told to, for tests.
public final class ManualCoTimer: CoTimer, @unchecked Sendable {
  // Invariant: `elapsed` is touched under `clockLock`. One thread at a time advances.
  private let clockLock = CoLock()
  @exclusivity(unchecked) private var elapsedNanoseconds: Int64 = 0

  /// Its time begins at zero, and stands still.
  public override init() {}

  /// Lets time pass. What becomes due happens on this thread, one after another, each at its own moment; so does what
  /// is scheduled meanwhile. Traps when the duration is negative.
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

  override var nowNanoseconds: Int64 {
    clockLock.lock()
    defer { clockLock.unlock() }
    return elapsedNanoseconds
  }

  private func move(to nanoseconds: Int64) {
    clockLock.lock()
    defer { clockLock.unlock() }
    elapsedNanoseconds = nanoseconds
  }
}
