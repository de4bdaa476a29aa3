#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The clock of all measurements: nanoseconds since an unspecified moment, which never decrease.
public enum MonotonicClock {
  /// The present time. Reading it takes about 25 ns on Linux, without a system call.
  public static func nanoseconds() -> UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }

  /// The resolution that the clock reports.
  public static func resolutionNanoseconds() -> UInt64 {
    var step = timespec()
    clock_getres(CLOCK_MONOTONIC, &step)
    return step.nanoseconds
  }

  /// The time of another system clock, or 0 if there is no such clock.
  package static func nanoseconds(of clock: clockid_t) -> UInt64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return now.nanoseconds
  }
}

extension timespec {
  fileprivate var nanoseconds: UInt64 { UInt64(tv_sec) * 1_000_000_000 + UInt64(tv_nsec) }

  package init(nanoseconds: UInt64) {
    self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
