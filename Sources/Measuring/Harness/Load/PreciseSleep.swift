import CProbes
import RawThreads

/// Sleeps to a moment, and stays awake for the last bit of it: a kernel wakes nobody on the dot.
enum PreciseSleep {
  /// Asks the kernel not to put this thread's wake-ups off so as to share them with others; where it does so at all.
  static func sharpenThisThread() { _ = machine_wakes_promptly() }

  static func sleep(untilNanoseconds moment: UInt64, spinNanoseconds: UInt64) {
    if moment > spinNanoseconds, MonotonicClock.nanoseconds() < moment - spinNanoseconds {
      sleepRoughly(untilNanoseconds: moment - spinNanoseconds)
    }
    while MonotonicClock.nanoseconds() < moment {}
  }
}
