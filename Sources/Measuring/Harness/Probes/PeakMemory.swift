import CProbes

/// The most resident memory since the last reset; nil where the platform cannot reset it.
enum PeakMemory {
  static func reset() -> Bool { ProcFile.write("5", to: "/proc/self/clear_refs") }

  static func bytes() -> Int? { kibibytes("VmHWM:") }

  static func residentBytes() -> Int? { kibibytes("VmRSS:") }

  /// How much more became resident while `body` ran than was before it, with what had been freed given back first.
  static func growth<Value>(during body: () throws -> Value) rethrows -> (Value, bytes: Int?) {
    machine_give_back_free_memory()
    guard let before = residentBytes(), reset() else { return (try body(), nil) }
    let value = try body()
    return (value, bytes().map { max(0, $0 - before) })
  }

  private static func kibibytes(_ name: String) -> Int? {
    ProcFile.read("/proc/self/status").flatMap { ProcFile.number(name, in: $0) }.map { $0 * 1024 }
  }
}
