import RawThreads

/// How long nothing may happen before a job counts as hung.
///
/// Where it can be seen that every other thread of the process sleeps, and no timer of the scenario is due, nothing will happen
/// any more: that is found within a moment. Elsewhere it takes the whole time.
final class Patience {
  private let nanoseconds: UInt64
  /// How often something was waited for in vain. What hangs once hangs often.
  private(set) var hangs = 0

  init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  func hung() { hangs += 1 }

  struct Watch {
    let patience: Patience
    let isTimed: Bool
    let limit: UInt64
    var deadline: UInt64
    var nextLookNanoseconds: UInt64
    var idleLooks = 0

    mutating func somethingHappened() {
      let now = MonotonicClock.nanoseconds()
      deadline = now + limit
      nextLookNanoseconds = now + 10_000_000
      idleLooks = 0
    }

    /// Whether nothing will happen any more.
    mutating func isOver() -> Bool {
      let now = MonotonicClock.nanoseconds()
      if now >= deadline { return true }
      guard now >= nextLookNanoseconds else { return false }
      nextLookNanoseconds = min(deadline, now + 10_000_000)
      idleLooks = OtherThreads.allSleep ? idleLooks + 1 : 0
      // A pool whose threads are all blocked gets another one within a second. What hangs once hangs often.
      return idleLooks >= (patience.hangs == 0 ? 150 : isTimed ? 40 : 6)
    }
  }

  /// - Parameter times: so many times as long, for what takes long without anything being wrong.
  func watch(isTimed: Bool, times: UInt64 = 1) -> Watch {
    let now = MonotonicClock.nanoseconds()
    let limit = nanoseconds * times
    return Watch(
      patience: self, isTimed: isTimed, limit: limit, deadline: now + limit,
      nextLookNanoseconds: now + 10_000_000)
  }
}
