#if os(Linux)
  import Glibc
#endif

/// What a whole process has used of the processors, exactly and at any moment.
enum ProcessClock {
  /// nil where the system does not say it of another process.
  static func nanoseconds(of process: Int32) -> UInt64? {
    #if os(Linux)
      var (clock, time) = (clockid_t(), timespec())
      guard process > 0, clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
        return nil
      }
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    #else
      return nil
    #endif
  }
}
