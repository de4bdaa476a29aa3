#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the process has used, over all its threads (`getrusage`).
package struct ResourceUsage: Codable, Sendable, Hashable {
  /// In the program's own code, on all processors together; the kernel counts in microseconds.
  package var cpuUserNanoseconds: UInt64 = 0
  /// In the kernel, for the program, likewise.
  package var cpuSystemNanoseconds: UInt64 = 0
  /// How often a thread gave up its processor to wait.
  package var voluntarySwitches = 0
  /// How often a thread lost its processor to another.
  package var involuntarySwitches = 0
  /// Pages that were mapped without reading a disk.
  package var minorFaults = 0

  package var cpuNanoseconds: UInt64 { cpuUserNanoseconds + cpuSystemNanoseconds }

  init() {}

  #if canImport(Darwin)
    private typealias Processes = Int32
  #else
    private typealias Processes = __rusage_who
  #endif

  /// About 1 µs: a system call that adds up all threads.
  package static func now() -> ResourceUsage { ResourceUsage(of: RUSAGE_SELF) }

  /// What all child processes have used that have ended and been waited for.
  package static func ofChildren() -> ResourceUsage { ResourceUsage(of: RUSAGE_CHILDREN) }

  private init(of processes: Processes) {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(processes, &usage)
    #else
      getrusage(__rusage_who_t(processes.rawValue), &usage)
    #endif
    cpuUserNanoseconds = Self.nanoseconds(usage.ru_utime)
    cpuSystemNanoseconds = Self.nanoseconds(usage.ru_stime)
    voluntarySwitches = Int(usage.ru_nvcsw)
    involuntarySwitches = Int(usage.ru_nivcsw)
    minorFaults = Int(usage.ru_minflt)
  }

  package mutating func add(from start: ResourceUsage, to end: ResourceUsage) {
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
