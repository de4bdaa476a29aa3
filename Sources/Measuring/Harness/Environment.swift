import Foundation
import RawThreads
import Results

/// Describes this machine and this build. Unknown values are `nil`.
package enum Environment {
  package static var isReleaseBuild: Bool {
    var isDebug = false
    // `assert` evaluates its condition in debug builds only.
    func noteDebug() -> Bool {
      isDebug = true
      return true
    }
    assert(noteDebug())
    return !isDebug
  }

  /// The content of environment.json at the start of a run.
  package static func record(
    plan: RunPlan<some Workload>, reference: String, commandLine: [String], startedAt: Date
  ) -> EnvironmentRecord {
    var record = build()
    record.run = plan.run
    record.commandLine = commandLine
    record.startedAt = startedAt
    record.seed = plan.seed
    record.contract = plan.scenarios.first.flatMap { type(of: $0).contract }
    record.reference = reference
    record.generations = plan.generations
    record.operatingSystem = operatingSystem()
    record.kernel = MachineFiles.here.line("/proc/sys/kernel/osrelease")
    record.architecture = architecture
    record.cpuModel = cpuModel()
    record.coreCount = ProcessInfo.processInfo.activeProcessorCount
    record.memoryBytes = Int(ProcessInfo.processInfo.physicalMemory)
    record.clockResolutionNanoseconds = Double(MonotonicClock.resolutionNanoseconds())
    record.machine = plan.machine ?? MachineName.here(processor: record.cpuModel)
    record.shard = plan.shard
    record.scenarios = plan.scenarios.keyed {
      ($0.name, ScenarioRecord(definition: $0.definition, contenders: plan.contenders(of: $0)))
    }
    record.notes["drop_rule"] = plan.dropRule.description
    if !Counters.countAllocations {
      record.notes["allocations"] =
        "not counted: "
        + (Counters.foreignAllocator.map { "\($0) provides malloc" }
          ?? "malloc cannot be replaced on this platform")
    }
    record.notes["allocator"] = Counters.foreignAllocator
    if !Counters.countObjects {
      record.notes["retains"] =
        "objects, retains and releases are not counted: this Swift runtime does not allow it"
    }
    return record
  }

  package static func build() -> EnvironmentRecord {
    var record = EnvironmentRecord()
    record.buildConfiguration = isReleaseBuild ? "release" : "debug"
    record.toolchain = firstLine(of: "swift", ["--version"])
    if let folder = Bundle.main.executableURL?.deletingLastPathComponent().path {
      (record.commit, record.isDirty) = commit(ofRepositoryAround: folder)
    }
    return record
  }

  /// The commit of the repository around a folder, and whether files have changed since. `nil` without a repository.
  static func commit(ofRepositoryAround folder: String) -> (commit: String?, isDirty: Bool?) {
    guard let commit = firstLine(of: "git", ["-C", folder, "rev-parse", "HEAD"]) else { return (nil, nil) }
    return (
      commit, ToolProcess.output(of: "git", ["-C", folder, "status", "--porcelain"]).map { !$0.isEmpty }
    )
  }

  /// The toolchain on the path, or `nil` if there is none. Example: `swift-6.3.1-RELEASE`.
  static func toolchain() -> String? { firstLine(of: "swift", ["--version"]).flatMap(toolchain) }

  static func toolchain(inVersion line: String) -> String? {
    let words = line.split { " (),".contains($0) }
    return words.first { $0.hasPrefix("swift-") && $0 != "swift-driver" || $0.hasPrefix("swiftlang-") }.map(
      String.init)
      ?? words.firstIndex(of: "version").flatMap { words[($0 + 1)...].first }.map { "swift-\($0)" }
  }

  /// The operating system and its version. Example: `debian-12`.
  static func system() -> String {
    let version = ProcessInfo.processInfo.operatingSystemVersion
    return release("ID").map { id in [id, release("VERSION_ID")].compactMap(\.self).joined(separator: "-") }
      ?? "macos-\(version.majorVersion).\(version.minorVersion)"
  }

  private static func operatingSystem() -> String {
    release("PRETTY_NAME") ?? ProcessInfo.processInfo.operatingSystemVersionString
  }

  private static func release(_ name: String) -> String? {
    MachineFiles.here.line(name + "=", in: "/etc/os-release")?
      .dropFirst(name.count + 1).trimmingCharacters(in: CharacterSet(charactersIn: "\""))
  }

  private static func cpuModel() -> String? {
    MachineFiles.here.line("model name", in: "/proc/cpuinfo")?
      .split(separator: ":", maxSplits: 1).last?.trimmingCharacters(in: .whitespaces)
      ?? firstLine(of: "sysctl", ["-n", "machdep.cpu.brand_string"])
  }

  static var architecture: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "arm64"
    #else
      "other"
    #endif
  }

  private static func firstLine(of command: String, _ arguments: [String]) -> String? {
    ToolProcess.output(of: command, arguments)?.split(separator: "\n").first.map(String.init)
  }
}

/// The default name of a machine.
package enum MachineName {
  /// Makes a name from the processor, the core count, and a hash of the host name. Example: `amd-epyc-2-3f9a`.
  package static func make(processor: String, coreCount: Int, hostName: String) -> String {
    let words = processor.lowercased().split { !("a"..."z").contains($0) && !("0"..."9").contains($0) }
    let kind = words.filter { !["r", "tm", "cpu", "processor", "core"].contains($0) }.prefix(4)
    let name = kind.isEmpty ? "machine" : kind.joined(separator: "-")
    return "\(name.prefix(40))-\(coreCount)-\(digits(hostName))"
  }

  static func here(processor: String?) -> String {
    var bytes = [CChar](repeating: 0, count: 256)
    gethostname(&bytes, bytes.count - 1)
    let host = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return make(
      processor: processor ?? Environment.architecture,
      coreCount: ProcessInfo.processInfo.activeProcessorCount, hostName: host)
  }

  /// Four hexadecimal digits of an FNV-1a hash of the text.
  private static func digits(_ text: String) -> String {
    let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let folded = (hash ^ (hash >> 32) ^ (hash >> 16)) & 0xFFFF
    return String(String(folded + 0x1_0000, radix: 16).dropFirst())
  }
}

extension CountKey {
  /// The key of the expected counts for this machine and its toolchain, or `nil` without a toolchain. `turns` says how threads
  /// are scheduled, such as `real-time`.
  package static func here(turns: String) -> CountKey? {
    Environment.toolchain().map {
      CountKey(
        toolchain: $0,
        system: [Environment.system(), Counters.foreignAllocator].compactMap(\.self)
          .joined(separator: " with "),
        architecture: Environment.architecture, turns: turns)
    }
  }
}
