import Dispatch
import RawThreads
import Synchronization

/// How long nothing may happen before a job counts as hung.
///
/// Where it can be seen that every other thread of the process sleeps, that no timer of the scenario is due, and that no work
/// waits for a thread of Dispatch, nothing will happen any more: that is found within a moment. Elsewhere it takes the whole
/// time.
final class Patience: Sendable {
  private let nanoseconds: UInt64
  private let count = Atomic(0)

  init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// How often something was waited for in vain. What hangs once hangs often.
  var hangs: Int { count.load(ordering: .relaxed) }
  func hung() { count.add(1, ordering: .relaxed) }

  struct Watch {
    private let limit: UInt64
    private var deadline: UInt64
    private var nextLookNanoseconds: UInt64
    private var idleness: Idleness
    private var probe: DispatchProbe?
    /// How it stood at the first look.
    private var start: ReadyTime?

    fileprivate init(limit: UInt64, _ idleness: Idleness) {
      (self.limit, self.idleness, deadline, nextLookNanoseconds) = (limit, idleness, 0, 0)
      somethingHappened()
    }

    /// Sleeps until something may have happened; false: the time has come, or nothing will happen any more.
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

    /// Whether nothing will happen any more.
    private mutating func isOver() -> Bool {
      let now = MonotonicClock.nanoseconds()
      if now >= deadline {
        // Time in which others had the processors does not count.
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

  /// - Parameters:
  ///   - timer: the longest time after which something may still come by itself.
  ///   - times: so many times as long, for what takes long without anything being wrong.
  func watch(timer: Duration = .zero, times: UInt64 = 1) -> Watch {
    Watch(limit: nanoseconds * times, Idleness(isFirst: hangs == 0, timer: timer))
  }
}

/// For how many looks, one after another, all threads have slept.
struct Idleness {
  static let lookNanoseconds: UInt64 = 10_000_000

  /// So many are enough if no work waits for a thread of Dispatch.
  private let enough: Int
  /// So many are enough in any case: a pool whose threads are all blocked gets another one within a second.
  private let most: Int
  var looks = 0

  init(isFirst: Bool, timer: Duration) {
    let timerLooks = Int(clamping: timer.unsignedNanoseconds / Self.lookNanoseconds)
    (enough, most) = ((isFirst ? 20 : 6) + timerLooks, 150 + timerLooks)
  }

  /// Notes what is seen now; whether nothing will happen any more.
  mutating func look(allSleep: Bool, isThrough: Bool) -> Bool {
    looks = allSleep ? looks + 1 : 0
    return looks >= most || looks >= enough && isThrough
  }
}

/// Something to do for each of Dispatch's pools: once it is done, nothing that was given to them before waits for a thread.
final class DispatchProbe: Sendable {
  private let left: Atomic<Int>

  init() {
    let classes: [DispatchQoS.QoSClass] = [.background, .utility, .default, .userInitiated, .userInteractive]
    left = Atomic(classes.count)
    for each in classes {
      DispatchQueue.global(qos: each).async { self.left.subtract(1, ordering: .relaxed) }
    }
  }

  /// How many of the pools have not come to it.
  var waiting: Int { left.load(ordering: .relaxed) }
  var isThrough: Bool { waiting == 0 }
}
