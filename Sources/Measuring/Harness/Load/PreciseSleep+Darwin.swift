#if canImport(Darwin)
  import Darwin
  import RawThreads

  extension PreciseSleep {
    /// The platform has no sleep to a moment of this clock: sleeps for what is left, until nothing is.
    static func sleepRoughly(untilNanoseconds moment: UInt64) {
      while case let now = MonotonicClock.nanoseconds(), now < moment {
        let left = moment - now
        var time = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
        nanosleep(&time, nil)
      }
    }
  }
#endif
