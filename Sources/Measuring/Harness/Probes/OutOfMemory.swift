import Results

/// Processes that the kernel ended to get memory.
enum OutOfMemory {
  /// How many there were so far: in the control group of this process, and where none counts them on the machine; nil where the
  /// platform does not say.
  static func kills(_ files: MachineFiles = .here) -> Int? {
    (ControlGroup(files).outOfMemoryKills ?? files.number("oom_kill ", in: "/proc/vmstat")).map { Int($0) }
  }

  /// Why a process died of signal 9 that nobody here has sent.
  ///
  /// - Parameter limit: how much memory its control group may have.
  static func reason(
    killsBefore: Int?, killsAfter: Int?, limit: MachineRecord.Limit? = ControlGroup(.here).memoryLimitBytes
  ) -> String {
    guard let killsBefore, let killsAfter else { return ", most likely out of memory" }
    guard killsAfter > killsBefore else { return ", sent from outside" }
    let room =
      if case .at(let bytes) = limit { ": its control group may have \(Int(bytes / 0x1p20)) MiB" } else { "" }
    return ", out of memory: the kernel ended it\(room)"
  }
}
