import Dispatch
import RawThreads
import Synchronization

/// Detects hung jobs.
///
/// A job hangs if every other thread of the process sleeps, no timer of the scenario is due, and no work waits for a Dispatch
/// thread. These are checked every 10 ms. On platforms where they cannot be observed, the detector waits for the whole timeout.
final class HangDetector: Sendable {
  private let nanoseconds: UInt64
  private let count = Atomic(0)

  init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  var hangs: Int { count.load(ordering: .relaxed) }
  func hung() { count.add(1, ordering: .relaxed) }

  struct Watch {
    private let limit: UInt64
    private var deadline: UInt64
    private var nextLookNanoseconds: UInt64
    private var idleness: Idleness
    private var probe: DispatchProbe?
    /// The time for which runnable threads had waited for a processor at the first check.
    private var start: ReadyTime?

    fileprivate init(limit: UInt64, _ idleness: Idleness) {
      (self.limit, self.idleness, deadline, nextLookNanoseconds) = (limit, idleness, 0, 0)
      somethingHappened()
    }

    /// Sleeps until something may have happened. Returns false if the time is up or nothing more will happen.
    mutating func wait(on parker: Parker, untilNanoseconds end: UInt64 = .max) -> Bool {
      if parker.park(untilNanoseconds: min(end, nextLookNanoseconds)) {
        somethingHappened()
        return true
      }
      return MonotonicClock.nanoseconds() < end && !isOver()
    }

    private mutating func somethingHappened() {
      let now = MonotonicClock.nanoseconds()
      deadline = now + limit
      nextLookNanoseconds = now + Idleness.lookNanoseconds
      idleness.looks = 0
      start = nil
    }

    private mutating func isOver() -> Bool {
      let now = MonotonicClock.nanoseconds()
      if now >= deadline {
        // A timeout does not count if other processes occupied the processors.
        guard start?.isStarvedSince == true else { return true }
        (deadline, start) = (now + limit, nil)
      }
      if start == nil { start = ReadyTime() }
      guard now >= nextLookNanoseconds else { return false }
      nextLookNanoseconds = min(deadline, now + Idleness.lookNanoseconds)
      let isOver = idleness.look(
        allSleep: OtherThreads.allSleep == true, isThrough: probe?.isThrough ?? false)
      if idleness.looks == 3 { probe = DispatchProbe() }
      return isOver
    }
  }

  /// Watches for a hang. `timer` is the longest timer that may still fire; `times` multiplies the timeout.
  func watch(timer: Duration = .zero, times: UInt64 = 1) -> Watch {
    Watch(limit: nanoseconds * times, Idleness(isFirst: hangs == 0, timer: timer))
  }
}

/// Counts consecutive checks at which all threads slept.
struct Idleness {
  static let lookNanoseconds: UInt64 = 10_000_000

  /// The number of checks that is enough if no work waits for a Dispatch thread.
  private let enough: Int
  /// The number of checks that is enough in any case. Dispatch adds a thread within a second if all threads of a pool block.
  private let most: Int
  var looks = 0

  init(isFirst: Bool, timer: Duration) {
    let timerLooks = Int(clamping: timer.unsignedNanoseconds / Self.lookNanoseconds)
    (enough, most) = ((isFirst ? 20 : 6) + timerLooks, 150 + timerLooks)
  }

  /// Records a check. Returns whether nothing more will happen.
  mutating func look(allSleep: Bool, isThrough: Bool) -> Bool {
    looks = allSleep ? looks + 1 : 0
    return looks >= most || looks >= enough && isThrough
  }
}

/// Submits a block to each of Dispatch's pools. Once all have run, no earlier block waits for a thread.
final class DispatchProbe: Sendable {
  private let left: Atomic<Int>

  init() {
    let classes: [DispatchQoS.QoSClass] = [.background, .utility, .default, .userInitiated, .userInteractive]
    left = Atomic(classes.count)
    for each in classes {
      DispatchQueue.global(qos: each).async { self.left.subtract(1, ordering: .relaxed) }
    }
  }

  var waiting: Int { left.load(ordering: .relaxed) }
  var isThrough: Bool { waiting == 0 }
}
