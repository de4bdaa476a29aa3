import Synchronization

/// A clock that stands still until it is moved: timers become due one after another, on the thread that moves it.
///
///     let source = ManualTimerSource()
///     TimerSource.$current.withValue(source) {
///       // Whatever is started here, and on this thread by what becomes due, waits for `source`.
///       while source.advanceToNext() {}
///     }
package final class ManualTimerSource: TimerSource, @unchecked Sendable {
  private let elapsed = Atomic<Int64>(0)

  package override init() { super.init() }

  override var nowNanoseconds: Int64 { elapsed.load(ordering: .acquiring) }

  /// Lets time pass. Each timer that becomes due is called back on this thread, at its own moment, first come first
  /// served; so are those that are started meanwhile. One thread at a time may do this.
  package func advance(by duration: Duration = .zero) {
    let end = deadlineNanoseconds(after: duration)
    while let timer = heap.withLock({ $0.removeFirst(dueBy: end) }) { fire(timer) }
    move(to: end)
  }

  /// Moves on to the next timer and calls it back. Returns false if there is none.
  @discardableResult
  package func advanceToNext() -> Bool {
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
