import Dispatch
import RawThreads
import Synchronization

/// Detects hung jobs, by checks every 10 ms: a job hangs if every other thread of the process sleeps, no timer of the test case
/// is pending, and no work waits for a Dispatch thread. If the platform hides this, only the timeout counts.
final class HangDetector: Sendable {
  private let nanoseconds: UInt64
  private let count = Atomic(0)

  init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  var hangs: Int { count.load(ordering: .relaxed) }
  func hung() { count.add(1, ordering: .relaxed) }

  /// The wait for one event of a job.
  struct Watch {
    private let limit: UInt64
    private var deadline: UInt64
    private var nextLookNanoseconds: UInt64
    private var idleness: Idleness
    private var stillness = Stillness()
    private var probe: DispatchProbe?
    /// For how long the threads had run or waited for a processor when half the timeout was over. Reading it opens a file per thread.
    private var half: ReadyTime?
    private var isHalfSeen = false

    fileprivate init(limit: UInt64, _ idleness: Idleness) {
      (self.limit, self.idleness, deadline, nextLookNanoseconds) = (limit, idleness, 0, 0)
      somethingHappened()
    }

    /// Sleeps until something may have happened. Returns false at the time `end`, or if the job hangs.
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
      isHalfSeen = false
    }

    private mutating func isOver() -> Bool {
      let now = MonotonicClock.nanoseconds()
      if now >= deadline {
        // A timeout does not count if other processes occupied the processors.
        if isHalfSeen, half?.isStarvedSince != true { return true }
        (deadline, isHalfSeen) = (now + limit, false)
      }
      if !isHalfSeen, now >= deadline - limit / 2 { (half, isHalfSeen) = (ReadyTime(), true) }
      guard now >= nextLookNanoseconds else { return false }
      nextLookNanoseconds = min(deadline, now + Idleness.lookNanoseconds)
      let isOver = idleness.look(allSleep: stillness.isThere(), isThrough: probe?.isThrough ?? false)
      if idleness.looks == 3 { probe = DispatchProbe() }
      return isOver
    }
  }

  /// Starts to watch for a hang. `timer` is the longest timer that may still fire; `times` multiplies the timeout.
  func watch(timer: Duration = .zero, times: UInt64 = 1) -> Watch {
    Watch(limit: nanoseconds * times, Idleness(isFirst: hangs == 0, timer: timer))
  }
}

/// Counts the consecutive checks that found all threads asleep.
struct Idleness {
  static let lookNanoseconds: UInt64 = 10_000_000

  /// The number of checks that prove a hang if no work waits for a Dispatch thread.
  private let enough: Int
  /// The number of checks that always prove a hang. If all threads of a pool block, Dispatch adds one within a second.
  private let most: Int
  /// The number of consecutive checks so far.
  var looks = 0

  init(isFirst: Bool, timer: Duration) {
    let timerLooks = Int(clamping: timer.unsignedNanoseconds / Self.lookNanoseconds)
    (enough, most) = ((isFirst ? 20 : 6) + timerLooks, 150 + timerLooks)
  }

  /// Records a check, and returns whether the job hangs. `isThrough` means that no work waits for a Dispatch thread.
  mutating func look(allSleep: Bool, isThrough: Bool) -> Bool {
    looks = allSleep ? looks + 1 : 0
    return looks >= most || looks >= enough && isThrough
  }
}

/// A block in each of Dispatch's pools. Once these blocks have run, no earlier block waits for a thread.
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
