/// Processes that the kernel ended to get memory.
enum OutOfMemory {
  /// How many there were since the machine started; nil where the platform does not say.
  static func kills() -> Int? {
    ProcFile.read("/proc/vmstat").flatMap { ProcFile.number("oom_kill ", in: $0) }
  }

  /// Why a process died of signal 9 that nobody here has sent.
  static func reason(killsBefore: Int?, killsAfter: Int?) -> String {
    guard let killsBefore, let killsAfter else { return ", most likely out of memory" }
    return killsAfter > killsBefore ? ", out of memory: the kernel ended it" : ", sent from outside"
  }
}
