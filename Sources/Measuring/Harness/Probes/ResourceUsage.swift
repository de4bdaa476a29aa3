#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the process has used, over all its threads (`getrusage`).
public struct ResourceUsage: Codable, Sendable, Hashable {
  /// In the program's own code, on all processors together; the kernel counts in microseconds.
  public var cpuUserNanoseconds: UInt64 = 0
  /// In the kernel, for the program, likewise.
  public var cpuSystemNanoseconds: UInt64 = 0
  /// How often a thread gave up its processor to wait.
  public var voluntarySwitches = 0
  /// How often a thread lost its processor to another.
  public var involuntarySwitches = 0
  /// Pages that were mapped without reading a disk.
  public var minorFaults = 0

  /// On all processors together.
  public var cpuNanoseconds: UInt64 { cpuUserNanoseconds + cpuSystemNanoseconds }

  /// Nothing so far.
  public init() {}

  /// About 1 µs: a system call that adds up all threads.
  public static func now() -> ResourceUsage {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #endif
    return ResourceUsage(usage)
  }

  /// What all child processes have used that have ended and been waited for.
  public static func ofChildren() -> ResourceUsage {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_CHILDREN, &usage)
    #else
      getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
    #endif
    return ResourceUsage(usage)
  }

  private init(_ usage: rusage) {
    cpuUserNanoseconds = Self.nanoseconds(usage.ru_utime)
    cpuSystemNanoseconds = Self.nanoseconds(usage.ru_stime)
    voluntarySwitches = Int(usage.ru_nvcsw)
    involuntarySwitches = Int(usage.ru_nivcsw)
    minorFaults = Int(usage.ru_minflt)
  }

  /// Adds what was used between two readings.
  public mutating func add(from start: ResourceUsage, to end: ResourceUsage) {
    cpuUserNanoseconds += end.cpuUserNanoseconds - start.cpuUserNanoseconds
    cpuSystemNanoseconds += end.cpuSystemNanoseconds - start.cpuSystemNanoseconds
    voluntarySwitches += end.voluntarySwitches - start.voluntarySwitches
    involuntarySwitches += end.involuntarySwitches - start.involuntarySwitches
    minorFaults += end.minorFaults - start.minorFaults
  }

  private static func nanoseconds(_ time: timeval) -> UInt64 {
    UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_usec) * 1_000
  }
}
