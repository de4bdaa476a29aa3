#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The clock that everything is measured with: never set back, counted in nanoseconds since an unspecified moment.
public enum MonotonicClock {
  /// The time now; about 25 ns on Linux, without a system call.
  public static func nanoseconds() -> UInt64 { read(CLOCK_MONOTONIC) }

  /// The smallest step that the clock claims to make.
  public static func resolutionNanoseconds() -> UInt64 {
    var step = timespec()
    clock_getres(CLOCK_MONOTONIC, &step)
    return nanoseconds(step)
  }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return nanoseconds(now)
  }

  private static func nanoseconds(_ time: timespec) -> UInt64 {
    UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
