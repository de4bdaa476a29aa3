#if os(Linux)
  import Glibc
#endif

/// The times of all processors, summed, in steps of 10 ms.
package struct ProcessorTime: Codable, Sendable, Hashable {
  package var busyNanoseconds: UInt64
  /// Idle time, including that in which processors waited for a disk.
  package var idleNanoseconds: UInt64
  package var stealNanoseconds: UInt64

  package static func now(_ files: MachineFiles = .here) -> ProcessorTime? {
    files.line("/proc/stat").flatMap(time)
  }

  package func since(_ start: ProcessorTime) -> ProcessorTime? {
    guard busyNanoseconds >= start.busyNanoseconds, idleNanoseconds >= start.idleNanoseconds,
      stealNanoseconds >= start.stealNanoseconds
    else { return nil }
    return ProcessorTime(
      busyNanoseconds: busyNanoseconds - start.busyNanoseconds,
      idleNanoseconds: idleNanoseconds - start.idleNanoseconds,
      stealNanoseconds: stealNanoseconds - start.stealNanoseconds)
  }

  /// Parses `cpu  user nice system idle iowait irq softirq steal …`, in units of 10 ms. User time includes that of guests.
  static func time(inStat line: String) -> ProcessorTime? {
    let fields = line.utf8.split(separator: UInt8(ascii: " "))
    guard fields.count > 8, fields[0].elementsEqual("cpu".utf8) else { return nil }
    let ticks = fields[1...8].compactMap { UInt64(Substring($0)) }
    guard ticks.count == 8 else { return nil }
    return ProcessorTime(
      busyNanoseconds: (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) * 10_000_000,
      idleNanoseconds: (ticks[3] + ticks[4]) * 10_000_000, stealNanoseconds: ticks[7] * 10_000_000)
  }
}

/// The total busy time of selected processors since the machine started.
struct BusyTime: Sendable, Hashable {
  let nanoseconds: UInt64
  let processors: Int

  /// - Parameter processors: the processors' numbers. `nil` means all.
  static func now(_ files: MachineFiles, of processors: [Int]?) -> BusyTime? {
    let lines = files.text("/proc/stat")?.split(separator: "\n").prefix { $0.hasPrefix("cpu") } ?? []
    // The first line of /proc/stat is the sum of the other lines, one for each processor.
    let wanted = lines.dropFirst().filter { line in
      let number = line.dropFirst(3).prefix { $0.isNumber }
      return processors.map { all in Int(number).map(all.contains) ?? false } ?? true
    }
    guard let sum = lines.first, !wanted.isEmpty else { return nil }
    let all = wanted.count == lines.count - 1 ? [sum] : Array(wanted)
    let times = all.compactMap { line in
      ProcessorTime.time(inStat: "cpu " + line.drop { $0 != " " })?.busyNanoseconds
    }
    guard times.count == all.count else { return nil }
    return BusyTime(nanoseconds: times.reduce(0, +), processors: wanted.count)
  }
}

enum ProcessClock {
  /// The exact CPU time of a process, or `nil` if the system does not report it.
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
