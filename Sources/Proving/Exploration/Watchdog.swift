import CExploration
import Dispatch
import Synchronization

/// A thread of its own that notices when the thread that explores does not come back from a step.
package final class Watchdog: Sendable {
  private let end = DispatchSemaphore(value: 0)
  private let isOver = Atomic(false)
  /// How often it looks until it is sure: a process that was stopped for a while has missed one look, not all.
  private static let looks = 8

  /// Watches the calling thread from now on, whose journal counts what has come back.
  ///
  /// - Parameter notify: told once, on the watching thread, what is wrong.
  init(_ journal: Journal, stepTime: Duration, _ notify: @escaping @Sendable (String) -> Void) {
    let clock = thread_clock()
    DispatchQueue(label: "exploration watchdog").async { [self] in
      var (progress, halfway, silent) = (-1, UInt64(0), 0)
      let pause = stepTime / Self.looks
      while end.wait(timeout: .now() + .nanoseconds(pause.nanoseconds)) == .timedOut {
        let (now, used) = (journal.progress, thread_clock_nanoseconds(clock))
        silent += 1
        if now != progress { (progress, silent) = (now, 0) }
        if silent == Self.looks / 2 { halfway = used }
        guard silent == Self.looks else { continue }
        // On a busy machine even who spins gets a share only; who is blocked gets none.
        let isBusy = used > halfway
        isOver.store(true, ordering: .relaxed)
        return notify("a step has not come back for \(stepTime): \(isBusy ? Self.spins : Self.blocks)")
      }
    }
  }

  /// Nobody waits any more for what the thread does.
  package var hasGivenUp: Bool { isOver.load(ordering: .relaxed) }

  /// Nothing is watched any more.
  func stop() { end.signal() }

  private static let spins = "it spins, or computes for very long; what waits for another task must suspend"
  private static let blocks =
    "it blocks its thread, by a lock, a semaphore or a call that waits; what waits for another task must suspend"
}

extension Duration {
  /// Rounded up; of more than there are, the most.
  var nanoseconds: Int {
    let (seconds, attoseconds) = components
    let (whole, overflow) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isMore) = whole.addingReportingOverflow(Int((attoseconds + 999_999_999) / 1_000_000_000))
    return overflow || isMore ? (seconds < 0 ? .min : .max) : sum
  }
}
