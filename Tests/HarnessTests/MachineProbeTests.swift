import Foundation
import Results
import Synchronization
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct MachineProbeTests {
  private func record(_ files: [String: String]) -> MachineRecord {
    MachineProbe(MachineFiles { files[$0] }).record()
  }

  private static let laptop = [
    "/proc/self/status": "Name:\tbench\nCpus_allowed:\tf\nCpus_allowed_list:\t0-2,7\n",
    "/sys/devices/system/cpu/online": "0-3\n", "/sys/devices/system/cpu/smt/active": "1\n",
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
    "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
    "/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor": "powersave\n",
    "/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor": "ondemand\n",
    "/sys/devices/system/cpu/intel_pstate/no_turbo": "0\n",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
    "/proc/cpuinfo": "processor\t: 0\nflags\t\t: fpu vme tsc\n\nprocessor\t: 1\nflags\t\t: fpu vme tsc\n",
    "/proc/loadavg": "1.47 1.45 2.04 5/140 21543\n",
    "/proc/meminfo":
      "MemTotal:       1024 kB\nMemFree:   1 kB\nMemAvailable:  512 kB\nSwapTotal: 100 kB\nSwapFree: 90 kB\n",
    "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
  ]

  #if os(Linux)
    @Test func `every file of the kernel is read`() {
      let record = record(Self.laptop)
      #expect(record.clockSource == "tsc")
      #expect(record.processorsOnline == 4)
      #expect(record.processorsAllowed == 3)
      #expect(record.frequencyGovernors == ["performance", "powersave"])
      #expect(record.multithreading == true)
      #expect(record.boost == true)
      #expect(record.isVirtualMachine == false)
      #expect(record.loadAverage == 1.47)
      #expect(record.runnableThreads == 4)
      #expect(record.memoryBytes == 1_048_576)
      #expect(record.memoryAvailableBytes == 524_288)
      #expect(record.swapUsedBytes == 10_240)
      #expect(record.transparentHugePages == "madvise")
    }

    @Test func `a machine that shows nothing is not guessed at`() {
      var expected = MachineRecord()
      // This comes from the clock, not from a file.
      expected.clockResolutionNanoseconds = record([:]).clockResolutionNanoseconds
      #expect(record([:]) == expected)
    }
  #endif

  @Test(
    arguments: [
      (["/sys/devices/system/cpu/cpufreq/boost": "1"], true),
      (["/sys/devices/system/cpu/cpufreq/boost": "0"], false),
      (["/sys/devices/system/cpu/intel_pstate/no_turbo": "1"], false), ([:], nil),
    ] as [([String: String], Bool?)])
  func `turbo is read from either driver`(files: [String: String], isOn: Bool?) {
    #expect(record(files).boost == isOn)
  }

  #if os(Linux)
    @Test(
      arguments: [
        (["/proc/cpuinfo": "flags : fpu hypervisor lahf_lm"], true),
        (["/proc/cpuinfo": "flags : fpu nohypervisor"], false),
        // Without flags, as on arm64, only a hypervisor with a name is found.
        (["/proc/cpuinfo": "Features : fp asimd"], nil),
        (["/proc/cpuinfo": "Features : fp asimd", "/sys/hypervisor/type": "xen\n"], true),
      ] as [([String: String], Bool?)])
    func `a virtual machine is recognised by its processor flag`(files: [String: String], isGuest: Bool?) {
      #expect(record(files).isVirtualMachine == isGuest)
    }
  #endif

  @Test func `a machine's name has its processor and cores, and distinguishes hosts without naming them`() {
    func name(_ host: String) -> String {
      MachineName.make(processor: "Intel(R) Xeon(R) CPU @ 2.20GHz", coreCount: 4, hostName: host)
    }
    #expect(name("secret-host").hasPrefix("intel-xeon-2-20ghz-4-"))
    #expect(!name("secret-host").contains("secret") && !name("secret-host").contains("host"))
    #expect(name("node-1") != name("node-2") && name("node-1") == name("node-1"))
  }

  @Test(arguments: ["", "AMD EPYC", "日本", String(repeating: "x", count: 300)])
  func `a machine's name is valid in a record`(processor: String) throws {
    try RecordName.check(MachineName.make(processor: processor, coreCount: 128, hostName: ""))
  }

  @Test(arguments: [1, 25, 41, 4_000_000])
  func `a clock's step and reading time are measured exactly`(step: UInt64) {
    var record = MachineRecord()
    ClockProbe.record(into: &record, clock: FakeClock(step: step).clock, readings: 1_000)
    #expect(record.clockReadingNanoseconds == Double(step))
    #expect(record.clockStepNanoseconds == Double(step))
  }

  private func machine(busy: Int, steal: Int, pressure: Int, throttled: Int) -> [String: String] {
    [
      "/proc/stat":
        "cpu  \(busy) 0 0 4 5 0 0 \(steal) 0 0\ncpu0 \(busy) 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\n",
      "/proc/pressure/cpu": "some avg10=0.00 avg60=0.00 avg300=0.00 total=\(pressure)\nfull total=9\n",
      "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.stat": "throttled_usec \(throttled)\n",
    ]
  }

  @Test func `shares are of the time between two readings`() {
    let texts = Guarded(machine(busy: 10, steal: 100, pressure: 1_000, throttled: 50))
    let own = Atomic<UInt64>(5)
    let files = MachineFiles { path in texts.withLock { $0[path] } }
    let watch = DisturbanceWatch(files, ownNanoseconds: { own.load(ordering: .relaxed) })
    own.store(500_000_005, ordering: .relaxed)
    // 1.1 s busy, half a second of it our own; 40 ms stolen from two processors, 500 ms of pressure, 10 ms throttled.
    _ = texts.exchange(machine(busy: 120, steal: 104, pressure: 501_000, throttled: 10_050))
    var record = MachineRecord()
    watch.record(into: &record, elapsedNanoseconds: 1_000_000_000, processors: 2)
    #expect(record.stealShare == 0.02)
    #expect(record.othersShare == 0.3)
    #expect(record.pressureShare == 0.5)
    #expect(record.throttledShare == 0.01)
  }
}

@Suite(.ownThread) struct ControlGroupTests {
  /// Rows of `GROUPS | FILE: CONTENT | … => ANSWER`: this process's groups, and files below /sys/fs/cgroup, or with a full path. `;`
  /// ends a line, and `-` is unknown.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answer: String
    private let texts: [String: String]

    var files: MachineFiles { MachineFiles { [texts] in texts[$0] } }

    static func table(_ rows: String) -> [Row] { rows.split(separator: "\n").map { Row(String($0)) } }

    private init(_ row: String) {
      testDescription = row
      let sides = row.components(separatedBy: " => ")
      answer = sides[1]
      let parts = sides[0].components(separatedBy: " | ").map { $0.replacing(";", with: "\n") }
      var texts = parts[0] == "-" ? [:] : ["/proc/self/cgroup": parts[0]]
      for part in parts.dropFirst() {
        let (path, text) = (part.prefix { $0 != ":" }, part.drop { $0 != ":" }.dropFirst(2))
        texts[path.hasPrefix("/") ? String(path) : "/sys/fs/cgroup/\(path)"] = String(text)
      }
      self.texts = texts
    }
  }

  private func words(_ limit: MachineRecord.Limit?) -> String {
    switch limit {
    case .at(let number): "\(number)"
    case .unlimited: "unlimited"
    case nil: "-"
    }
  }

  // Version 2 in a container whose group is the root; the tightest of a group and its parents; version 1 with the host's path, of which a
  // container has only the root; another controller's group.
  @Test(
    arguments: Row.table(
      """
      0::/; | cpu.max: 150000 100000; => 1.5
      0::/; | cpu.max: max 100000; => unlimited
      0::/a/b; | a/b/cpu.max: max 100000; | a/cpu.max: 200000 100000; => 2.0
      0::/a/b; | a/b/cpu.max: 300000 100000; | a/cpu.max: 200000 100000; => 2.0
      7:memory:/x;5:cpu,cpuacct:/docker/0123; | cpu/cpu.cfs_quota_us: 50000; | cpu/cpu.cfs_period_us: 100000; => 0.5
      5:cpu:/; | cpu/cpu.cfs_quota_us: -1; | cpu/cpu.cfs_period_us: 100000; => unlimited
      3:cpuset:/; | cpu/cpu.cfs_quota_us: 50000; | cpu/cpu.cfs_period_us: 100000; => -
      0::/; => -
      - => -
      nonsense => -
      """))
  func `the quota is the tightest of the group and its parents, in processors`(row: Row) {
    #expect(words(ControlGroup(row.files).processorQuota) == row.answer)
  }

  @Test(
    arguments: Row.table(
      """
      0::/; | memory.max: 1073741824; => 1073741824.0
      0::/; | memory.max: max; => unlimited
      4:memory:/a; | memory/a/memory.limit_in_bytes: 9223372036854771712; => unlimited
      4:memory:/a;0::/; | memory/a/memory.limit_in_bytes: 9223372036854771712; | memory/memory.limit_in_bytes: 2048; => 2048.0
      - => -
      """))
  func `the memory limit is in bytes`(row: Row) {
    #expect(words(ControlGroup(row.files).memoryLimitBytes) == row.answer)
  }

  @Test(
    arguments: Row.table(
      """
      0::/; | cpu.stat: usage_usec 9;throttled_usec 12; => 12000
      5:cpu,cpuacct:/; | cpu/cpu.stat: nr_throttled 3;throttled_time 77; => 77
      0::/; | cpu.stat: usage_usec 9; => -
      """))
  func `throttled time is in nanoseconds`(row: Row) {
    #expect(ControlGroup(row.files).throttledNanoseconds.map(String.init) ?? "-" == row.answer)
  }

  // Version 2 and version 1; not the line with the same prefix. The group's own, whatever happened elsewhere. The root of version 2
  // counts nothing, nor does version 1 of an old kernel.
  @Test(
    arguments: Row.table(
      """
      0::/a; | a/memory.events: oom 7;oom_kill 3;oom_group_kill 1; => 3
      4:memory:/a;0::/; | memory/a/memory.oom_control: oom_kill_disable 0;under_oom 0;oom_kill 2; => 2
      0::/a; | a/memory.events: oom_kill 0; | memory.events: oom_kill 5; | /proc/vmstat: oom_kill 9; => 0
      0::/; | /proc/vmstat: nr_free_pages 1;oom_kill 9; => 9
      4:memory:/; | memory/memory.oom_control: oom_kill_disable 0; | /proc/vmstat: oom_kill 9; => 9
      - => -
      """))
  func `out-of-memory kills are those of the own control group`(row: Row) {
    #expect(OutOfMemory.kills(row.files).map { "\($0)" } ?? "-" == row.answer)
  }
}

@Suite(.ownThread) struct OtherProcessesTests {
  /// A machine of two processors, and this process's use of them.
  private final class Machine: Sendable {
    private let ticks = Atomic(0)
    private let now = Atomic<UInt64>(0)
    private let own = Atomic<UInt64>(0)

    var files: MachineFiles {
      MachineFiles { path in
        path == "/proc/stat"
          ? "cpu  \(self.ticks.load(ordering: .relaxed)) 0 0 9 9 0 0 0 0 0\ncpu0 0 0 0 9 9 0 0 0 0 0\ncpu1 0 0 0 9 9 0 0 0 0 0\nintr 1\n"
          : nil
      }
    }

    func others() -> OtherProcesses {
      OtherProcesses(
        files, clock: HarnessClock { self.now.load(ordering: .relaxed) },
        ownNanoseconds: { self.own.load(ordering: .relaxed) })
    }

    func pass(milliseconds: Int, busy: Int, own: Int) {
      now.add(UInt64(milliseconds) * 1_000_000, ordering: .relaxed)
      ticks.add(busy / 10, ordering: .relaxed)
      self.own.add(UInt64(own) * 1_000_000, ordering: .relaxed)
    }
  }

  /// Which rounds of 100 ms on two processors are disturbed: the workers use 80 ms, and others these times.
  private func disturbed(_ others: [Int], workers: Int = 80, scenario: (Int) -> String = { _ in "s" })
    -> [Bool]
  {
    let machine = Machine()
    var watch = machine.others()
    var used: UInt64 = 0
    return others.enumerated().map { index, milliseconds in
      let start = watch.reading(workers: used)
      machine.pass(milliseconds: 100, busy: workers + 10 + milliseconds, own: 10)
      used += UInt64(workers) * 1_000_000
      return watch.isDisturbed(scenario(index), from: start, to: watch.reading(workers: used), by: DropRule())
    }
  }

  @Test(
    arguments: [
      // One burst, and several.
      ([0, 0, 90, 0, 0], 80, [2]),
      ((0..<30).map { $0 % 3 == 2 ? 70 : 0 }, 80, (0..<30).filter { $0 % 3 == 2 }),
      // A lasting load is the usual one, soon also one that starts late.
      (Array(repeating: 100, count: 9), 80, []),
      (Array(repeating: 0, count: 4) + Array(repeating: 110, count: 20), 80, [4, 5, 6, 7]),
      // Some ticks; and a load of the contenders' own.
      ([0, 10, 20, 0, 40, 10, 50, 0], 80, []), ([0, 0, 0], 190, []),
    ] as [([Int], Int, [Int])])
  func `only a burst above the usual share is a disturbance`(others: [Int], workers: Int, rounds: [Int]) {
    let found = disturbed(others, workers: workers)
    #expect(found.indices.filter { found[$0] } == rounds)
  }

  @Test func `the usual share is kept per scenario`() {
    #expect(!disturbed([0, 100, 0, 100, 0, 100]) { $0 % 2 == 0 ? "alone" : "served" }.contains(true))
  }

  @Test func `unknown readings disturb nothing`() {
    let machine = Machine()
    var watch = machine.others()
    func isDisturbed(_ start: OtherProcesses.Reading?, _ end: OtherProcesses.Reading?) -> Bool {
      watch.isDisturbed("s", from: start, to: end, by: DropRule())
    }
    let start = watch.reading(workers: 0)
    machine.pass(milliseconds: 100, busy: 0, own: 0)
    let quiet = watch.reading(workers: 0)
    #expect(!isDisturbed(start, quiet))
    machine.pass(milliseconds: 100, busy: 200, own: 0)
    let busy = watch.reading(workers: 0)
    #expect(watch.reading(workers: nil) == nil)
    #expect(!isDisturbed(quiet, nil) && !isDisturbed(nil, busy))
    // A worker that was replaced has used less.
    #expect(!isDisturbed(watch.reading(workers: 50), busy))
    #expect(isDisturbed(quiet, busy))
    #expect(OtherProcesses(MachineFiles { _ in nil }, clock: .monotonic).reading(workers: 0) == nil)
  }

  private static let stat =
    "cpu  30 0 3 9 9 0 0 0 0 0\ncpu0 10 0 0 9 9 0 0 0 0 0\ncpu1 15 0 1 9 9 0 0 0 0 0\ncpu10 4 0 1 9 9 0 0 0 0 0\nintr 7\n"

  @Test(
    arguments: [
      // Rounded once, as the kernel's sum is.
      (nil, 330, 3), ([0, 1, 10], 330, 3), ([0, 10], 150, 2), ([1], 160, 1),
    ] as [([Int]?, UInt64, Int)])
  func `only allowed processors count`(processors: [Int]?, milliseconds: UInt64, count: Int) {
    #expect(
      BusyTime.now(MachineFiles { _ in Self.stat }, of: processors)
        == BusyTime(nanoseconds: milliseconds * 1_000_000, processors: count))
  }

  @Test(arguments: ["", "cpu  1 2 3\ncpu0 1 2 3\n", "cpu  1 2 3 4 5 6 7 8 9 10\nintr 1\n"])
  func `any other text is unknown`(stat: String) {
    #expect(BusyTime.now(MachineFiles { _ in stat }, of: nil) == nil)
  }

  #if os(Linux)
    @Test func `a process's CPU time is known`() throws {
      let used = try #require(ProcessClock.nanoseconds(of: getpid()))
      let later = try #require(ProcessClock.nanoseconds(of: getpid()))
      #expect(used > 0 && later >= used)
    }
  #endif
}

@Suite(.ownThread) struct PermissionsTests {
  @Test func `a command is installed if a folder of the path has it`() {
    #expect(Permissions.isInstalled("sh", path: "/nowhere:/bin"))
    #expect(!Permissions.isInstalled("sh", path: "/nowhere:"))
    #expect(!Permissions.isInstalled("passwd", path: "/etc"))
  }

  @Test func `every requested command is recorded`() {
    var record = MachineRecord()
    Permissions.record(into: &record, commands: ["sh", "no-such-command-anywhere"])
    #expect(record.commands == ["sh": true, "no-such-command-anywhere": false])
    #expect(record.isRealTimePermitted == Placement.realTime.isPermitted)
  }

  @Test func `a refusal says what the request needs`() {
    let absent = #expect(throws: LatencyRequest.Refused.self) {
      try LatencyRequest(path: "/absent/latency", isSupported: true)
    }
    #expect(
      absent?.description.hasPrefix("keeping processors awake needs /absent/latency, which does not exist")
        == true)
    let elsewhere = #expect(throws: LatencyRequest.Refused.self) {
      try LatencyRequest(path: "/dev/latency", isSupported: false)
    }
    #expect(elsewhere?.description == "keeping processors awake needs Linux and its /dev/latency")
  }

  /// Root may write everything, so tests cannot provoke it.
  @Test(arguments: [
    (EACCES, "keeping processors awake needs write permission on /dev/latency"),
    (ENOSPC, "the wanted wake-up latency cannot be written to"),
  ])
  func `a refusal says why`(code: Int32, text: String) {
    #expect(LatencyRequest.refused("/dev/latency", code).description.hasPrefix(text))
  }
}

@Suite(.ownThread) struct EnvironmentTests {
  @Test(arguments: [
    ("Swift version 6.3.1 (swift-6.3.1-RELEASE)", "swift-6.3.1-RELEASE"),
    ("Swift version 6.4-dev (LLVM 1234, Swift 5678)", "swift-6.4-dev"),
    (
      "swift-driver version: 1.115 Apple Swift version 6.0.2 (swiftlang-6.0.2.1.2 clang-1600)",
      "swiftlang-6.0.2.1.2"
    ),
    ("zsh: no such command", nil),
  ])
  func `a toolchain's name comes from its version line`(line: String, name: String?) {
    #expect(Environment.toolchain(inVersion: line) == name)
  }

  @Test func `the commit is that of the repository around the folder`() {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    #expect(Environment.commit(ofRepositoryAround: folder).commit?.count == 40)
    let none = Environment.commit(ofRepositoryAround: "/")
    #expect(none.commit == nil && none.isDirty == nil)
  }
}
