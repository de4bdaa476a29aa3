@testable import Harness
import RawThreads
import Synchronization

/// Time that passes only when it is read or waited for: no test waits.
final class FakeClock: Sendable {
  private let now = Atomic<UInt64>(1_000)
  private let step: UInt64

  /// Every reading takes `step` nanoseconds.
  init(step: UInt64 = 10) { self.step = step }

  var clock: HarnessClock {
    var clock = HarnessClock { self.now.add(self.step, ordering: .relaxed).newValue }
    clock.park = { parker, deadline in
      if parker.park(untilNanoseconds: 0) { return true }
      self.now.max(deadline, ordering: .relaxed)
      return false
    }
    return clock
  }
}
