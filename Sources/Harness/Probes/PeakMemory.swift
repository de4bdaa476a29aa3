/// The most resident memory since the last reset; nil where the platform cannot reset it.
enum PeakMemory {
  static func reset() -> Bool { ProcFile.write("5", to: "/proc/self/clear_refs") }

  static func bytes() -> Int? {
    ProcFile.read("/proc/self/status").flatMap { ProcFile.number("VmHWM:", in: $0) }.map { $0 * 1024 }
  }
}
