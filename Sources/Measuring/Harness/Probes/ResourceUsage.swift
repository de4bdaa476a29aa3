import CProbes
import RawThreads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The CPU time, context switches and page faults of all threads of the process. The sum of user and system time comes from the
/// process's CPU clock, since `getrusage` truncates to microseconds, which can make posts look 2 % faster.
package struct ResourceUsage: Codable, Sendable, Hashable {
  package var cpuUserNanoseconds: UInt64 = 0
  /// CPU time in the kernel, which is known in microseconds only.
  package var cpuSystemNanoseconds: UInt64 = 0
  /// How often a thread gave up its processor to wait.
  package var voluntarySwitches = 0
  /// How often a thread lost its processor to another thread.
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

  /// The usage so far. Takes about 1 µs. The clock is read last, so that an interval that begins here includes little of it.
  package static func now() -> ResourceUsage {
    var usage = ResourceUsage(of: RUSAGE_SELF)
    usage.setTotal(MonotonicClock.nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID))
    return usage
  }

  /// Adds the usage since `start`.
  package mutating func add(since start: ResourceUsage) {
    let total = MonotonicClock.nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID)
    var end = ResourceUsage(of: RUSAGE_SELF)
    end.setTotal(total)
    add(from: start, to: end)
  }

  mutating func subtract(_ nanoseconds: UInt64) {
    let ofUser = min(cpuUserNanoseconds, nanoseconds)
    cpuUserNanoseconds -= ofUser
    cpuSystemNanoseconds -= min(cpuSystemNanoseconds, nanoseconds - ofUser)
  }

  package mutating func add(_ other: ResourceUsage) { add(from: ResourceUsage(), to: other) }

  private mutating func setTotal(_ nanoseconds: UInt64) {
    cpuUserNanoseconds = nanoseconds - min(nanoseconds, cpuSystemNanoseconds)
  }

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
    // The total and the system time are read at different moments, so the system time is limited to the total.
    let total = end.cpuNanoseconds - min(end.cpuNanoseconds, start.cpuNanoseconds)
    let system = min(total, end.cpuSystemNanoseconds - start.cpuSystemNanoseconds)
    cpuUserNanoseconds += total - system
    cpuSystemNanoseconds += system
    voluntarySwitches += end.voluntarySwitches - start.voluntarySwitches
    involuntarySwitches += end.involuntarySwitches - start.involuntarySwitches
    minorFaults += end.minorFaults - start.minorFaults
  }

  private static func nanoseconds(_ time: timeval) -> UInt64 {
    UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_usec) * 1_000
  }
}

/// The maximum resident memory since the last reset, on Linux.
enum PeakMemory {
  static func reset() -> Bool {
    guard let file = fopen("/proc/self/clear_refs", "w") else { return false }
    defer { fclose(file) }
    return fputs("5", file) >= 0
  }

  static func bytes() -> Int? { bytes("VmHWM:") }

  static func residentBytes() -> Int? { bytes("VmRSS:") }

  /// The growth of resident memory during `body`. Freed memory is returned to the system first.
  static func growth<Value>(during body: () throws -> Value) rethrows -> (Value, bytes: Int?) {
    machine_give_back_free_memory()
    guard let before = residentBytes(), reset() else { return (try body(), nil) }
    let value = try body()
    return (value, bytes().map { max(0, $0 - before) })
  }

  private static func bytes(_ name: String) -> Int? {
    MachineFiles.here.number(name, in: "/proc/self/status").map { Int($0) * 1024 }
  }
}
