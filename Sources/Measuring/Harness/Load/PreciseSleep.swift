import CProbes
import RawThreads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Sleeps to a moment, and spins for the last bit of it: no kernel wakes a thread exactly on time.
enum PreciseSleep {
  /// Asks the kernel not to put this thread's wake-ups off so as to share them with others; where it does so at all.
  static func sharpenThisThread() { _ = machine_wakes_promptly() }

  static func sleep(untilNanoseconds moment: UInt64, spinNanoseconds: UInt64) {
    if moment > spinNanoseconds, MonotonicClock.nanoseconds() < moment - spinNanoseconds {
      sleepRoughly(untilNanoseconds: moment - spinNanoseconds)
    }
    while MonotonicClock.nanoseconds() < moment {}
  }

  private static func sleepRoughly(untilNanoseconds moment: UInt64) {
    #if canImport(Darwin)
      // The platform has no sleep to a moment of this clock: sleeps for what is left, until nothing is.
      while case let now = MonotonicClock.nanoseconds(), now < moment {
        var time = timespec(nanoseconds: moment - now)
        nanosleep(&time, nil)
      }
    #else
      // To a moment, not for a time: what passes between reading the clock and falling asleep makes it no later.
      var time = timespec(nanoseconds: moment)
      while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    #endif
  }
}

extension timespec {
  fileprivate init(nanoseconds: UInt64) {
    self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
