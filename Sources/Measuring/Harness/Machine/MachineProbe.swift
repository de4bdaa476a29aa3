import Foundation
import RawThreads
import Results

/// Reads the machine's state from files and system calls.
package struct MachineProbe: Sendable {
  private let files: MachineFiles

  package init(_ files: MachineFiles = .here) { self.files = files }

  /// The machine's present state, read in one or two milliseconds. Unknown values are `nil`.
  package func record() -> MachineRecord {
    var record = MachineRecord()
    readClock(into: &record)
    readProcessors(into: &record)
    readLoad(into: &record)
    readMemory(into: &record)
    readPlatform(into: &record)
    return record
  }

  private func readClock(into record: inout MachineRecord) {
    record.clockSource = files.line("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    record.clockResolutionNanoseconds = Double(MonotonicClock.resolutionNanoseconds())
  }

  private func readProcessors(into record: inout MachineRecord) {
    let folder = "/sys/devices/system/cpu"
    let allowed = ProcessorList.allowed(files)
    let online = files.line(folder + "/online").flatMap(ProcessorList.numbers)
    record.processorsOnline = online?.count
    // The allowed list may include processors that are absent.
    record.processorsAllowed = allowed.map { $0.filter { online?.contains($0) ?? true }.count }
    record.processorQuota = ControlGroup(files).processorQuota
    record.multithreading = files.number(folder + "/smt/active").map { $0 == 1 }
    let governors = Set(
      (allowed ?? online ?? []).compactMap { files.line("\(folder)/cpu\($0)/cpufreq/scaling_governor") })
    record.frequencyGovernors = governors.isEmpty ? nil : governors.sorted()
    record.boost =
      files.number(folder + "/cpufreq/boost").map { $0 == 1 }
      ?? files.number(folder + "/intel_pstate/no_turbo").map { $0 == 0 }
    record.isVirtualMachine =
      files.line("flags", in: "/proc/cpuinfo").map {
        $0.split(whereSeparator: \.isWhitespace).contains("hypervisor")
      }
      ?? files.line("/sys/hypervisor/type").map { _ in true }
  }

  private func readLoad(into record: inout MachineRecord) {
    // Example: 1.47 1.45 2.04 5/140 21543. The fourth field has the numbers of runnable threads and of all threads.
    guard let fields = files.line("/proc/loadavg")?.split(separator: " "), fields.count >= 4 else { return }
    record.loadAverage = Double(fields[0])
    record.runnableThreads = fields[3].split(separator: "/").first.flatMap { Int($0) }.map { max(0, $0 - 1) }
  }

  private func readMemory(into record: inout MachineRecord) {
    func bytes(_ name: String) -> Double? { files.number(name, in: "/proc/meminfo").map { $0 * 1_024 } }
    record.memoryBytes = bytes("MemTotal:")
    record.memoryAvailableBytes = bytes("MemAvailable:")
    if let total = bytes("SwapTotal:"), let free = bytes("SwapFree:") { record.swapUsedBytes = total - free }
    record.memoryLimitBytes = ControlGroup(files).memoryLimitBytes
    // Example: always [madvise] never. The brackets mark the current setting.
    record.transparentHugePages = files.line("/sys/kernel/mm/transparent_hugepage/enabled")?
      .split(separator: " ").first { $0.hasPrefix("[") }.map { String($0.dropFirst().dropLast()) }
  }

  /// Reads what Linux has in files with Darwin's system calls.
  private func readPlatform(into record: inout MachineRecord) {
    #if canImport(Darwin)
      record.processorsOnline = ProcessInfo.processInfo.processorCount
      record.processorsAllowed = ProcessInfo.processInfo.activeProcessorCount
      record.memoryBytes = Double(ProcessInfo.processInfo.physicalMemory)
      var isGuest: Int32 = 0
      var size = MemoryLayout<Int32>.size
      if sysctlbyname("kern.hv_vmm_present", &isGuest, &size, nil, 0) == 0 {
        record.isVirtualMachine = isGuest != 0
      }
      var load = 0.0
      if getloadavg(&load, 1) == 1 { record.loadAverage = load }
    #endif
  }
}

/// Parses the kernel's lists of processors, such as `0-3,6`.
enum ProcessorList {
  static func allowed(_ files: MachineFiles) -> [Int]? {
    files.line("Cpus_allowed_list:", in: "/proc/self/status").flatMap {
      numbers(String($0.drop { !$0.isNumber }))
    }
  }

  static func numbers(_ text: String) -> [Int]? {
    var numbers: [Int] = []
    for part in text.split(separator: ",") {
      let bounds = part.split(separator: "-").map { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
      guard let first = bounds.first ?? nil, let last = bounds.last ?? nil, bounds.count <= 2, first <= last
      else { return nil }
      numbers += first...last
    }
    return numbers.isEmpty ? nil : numbers
  }
}
