import Foundation
import Results

/// The limits of this process's control group (cgroup version 1 or 2) and of the groups that contain it.
struct ControlGroup {
  private let files: MachineFiles
  /// The folders of the processor and memory controllers, from this process's own group outwards.
  private let processorFolders: [String]
  private let memoryFolders: [String]

  init(_ files: MachineFiles) {
    self.files = files
    let lines = files.text("/proc/self/cgroup")?.split(separator: "\n") ?? []
    // A line of /proc/self/cgroup has the form 4:memory:/path in version 1, and 0::/path in version 2.
    let entries = lines.map {
      $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    }
    .filter { $0.count == 3 }
    func folders(_ controller: String) -> [String] {
      entries.flatMap { entry -> [String] in
        if entry[1].isEmpty {
          // If cgroup version 1 is mounted, too, version 2 is in the folder `unified`.
          return Self.folders(entry[2], below: "/sys/fs/cgroup")
            + Self.folders(entry[2], below: "/sys/fs/cgroup/unified")
        }
        guard entry[1].split(separator: ",").contains(Substring(controller)) else { return [] }
        return Self.folders(entry[2], below: "/sys/fs/cgroup/\(controller)")
      }
    }
    processorFolders = folders("cpu")
    memoryFolders = folders("memory")
  }

  /// The lowest processor quota of all groups, as a number of processors.
  var processorQuota: MachineRecord.Limit? {
    tightest(
      processorFolders.map { folder in
        if let words = files.line(folder + "/cpu.max")?.split(separator: " "), words.count == 2,
          let period = Double(words[1])
        {
          return words[0] == "max" ? MachineRecord.Limit.unlimited : Double(words[0]).map { .at($0 / period) }
        }
        guard let quota = files.number(folder + "/cpu.cfs_quota_us"),
          let period = files.number(folder + "/cpu.cfs_period_us")
        else { return nil }
        return quota < 0 ? MachineRecord.Limit.unlimited : .at(quota / period)
      })
  }

  var memoryLimitBytes: MachineRecord.Limit? {
    tightest(
      memoryFolders.map { folder in
        if let line = files.line(folder + "/memory.max") {
          return line == "max" ? MachineRecord.Limit.unlimited : Double(line).map { .at($0) }
        }
        // In cgroup version 1, a huge number means that there is no limit.
        return files.number(folder + "/memory.limit_in_bytes").map {
          $0 >= 0x1p62 ? MachineRecord.Limit.unlimited : .at($0)
        }
      })
  }

  /// The number of processes that the kernel killed because the group's memory ran out. `nil` if unknown.
  var outOfMemoryKills: Double? {
    memoryFolders.lazy.compactMap { folder in
      files.number("oom_kill ", in: folder + "/memory.events")
        ?? files.number("oom_kill ", in: folder + "/memory.oom_control")
    }.first
  }

  /// The time during which the kernel stopped the group because its quota was used up. `nil` if unknown.
  var throttledNanoseconds: UInt64? {
    let times = processorFolders.compactMap { folder -> Double? in
      let path = folder + "/cpu.stat"
      return files.number("throttled_usec", in: path).map { $0 * 1_000 }
        ?? files.number("throttled_time", in: path)
    }
    return times.max().map { UInt64($0) }
  }

  /// The folders of a group and its parents. In a container, the path may be the host's; then only the root exists.
  private static func folders(_ path: String, below root: String) -> [String] {
    var names = path.split(separator: "/")
    var folders: [String] = []
    while !names.isEmpty {
      folders.append(root + "/" + names.joined(separator: "/"))
      names.removeLast()
    }
    return folders + [root]
  }

  private func tightest(_ limits: [MachineRecord.Limit?]) -> MachineRecord.Limit? {
    let values = limits.compactMap { if case .at(let value)? = $0 { value } else { nil as Double? } }
    return values.min().map { .at($0) } ?? limits.lazy.compactMap(\.self).first
  }
}
