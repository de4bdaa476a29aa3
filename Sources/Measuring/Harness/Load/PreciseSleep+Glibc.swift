#if canImport(Glibc)
  import Glibc

  extension PreciseSleep {
    /// To a moment, not for a time: what passes between reading the clock and falling asleep makes it no later.
    static func sleepRoughly(untilNanoseconds moment: UInt64) {
      var time = timespec(tv_sec: Int(moment / 1_000_000_000), tv_nsec: Int(moment % 1_000_000_000))
      while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
  }
#endif
