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
    "/sys/devices/system/cpu/online": "0-3\n",
    "/sys/devices/system/cpu/smt/active": "1\n",
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
    "/proc/sys/kernel/randomize_va_space": "2\n",
  ]

  #if os(Linux)
    @Test func `every file of the kernel is read`() {
      let record = record(Self.laptop)
      #expect(record.clockSource == "tsc")
      #expect(record.processorsOnline == 4)
      // The seventh may be used, but is not there.
      #expect(record.processorsAllowed == 3)
      // The fourth is not ours.
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
      #expect(record.isAddressSpaceRandomised == true)
    }

    @Test func `a machine that shows nothing is not guessed at`() {
      var expected = MachineRecord()
      // That is asked of the clock, not of a file.
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
        // Without flags, as on arm64, only a hypervisor that names itself is seen.
        (["/proc/cpuinfo": "Features : fp asimd"], nil),
        (["/proc/cpuinfo": "Features : fp asimd", "/sys/hypervisor/type": "xen\n"], true),
      ] as [([String: String], Bool?)])
    func `a virtual machine is recognised by its processor flag`(files: [String: String], isGuest: Bool?) {
      #expect(record(files).isVirtualMachine == isGuest)
    }
  #endif
}

@Suite(.ownThread) struct MachineNameTests {
  @Test func `a machine's name has its processor and cores, not its host`() {
    let name = MachineName.make(
      processor: "Intel(R) Xeon(R) CPU @ 2.20GHz", coreCount: 4, hostName: "secret-host")
    #expect(name.hasPrefix("intel-xeon-2-20ghz-4-"))
    #expect(!name.contains("secret") && !name.contains("host"))
  }

  @Test func `two hosts of one kind have different names`() {
    func name(_ host: String) -> String {
      MachineName.make(processor: "AMD EPYC", coreCount: 2, hostName: host)
    }
    #expect(name("node-1") != name("node-2"))
    #expect(name("node-1") == name("node-1"))
  }

  @Test(arguments: ["", "AMD EPYC", "日本", String(repeating: "x", count: 300)])
  func `a machine's name is valid in a record`(processor: String) throws {
    try RecordName.check(MachineName.make(processor: processor, coreCount: 128, hostName: ""))
  }
}

@Suite(.ownThread) struct ProcessorListTests {
  @Test(
    arguments: [
      ("0", [0]), ("0-1", [0, 1]), ("0-2,6", [0, 1, 2, 6]), (" 3 , 5-6\n", [3, 5, 6]), ("", nil),
      ("3-1", nil),
      ("a", nil), ("1-2-3", nil), ("1,,2", [1, 2]),
    ] as [(String, [Int]?)])
  func `ranges and numbers are parsed`(text: String, numbers: [Int]?) {
    #expect(ProcessorList.numbers(text) == numbers)
  }
}

@Suite(.ownThread) struct ProcessorTimeTests {
  @Test func `the kernel's processor times are parsed`() {
    let time = ProcessorTime.time(inStat: "cpu  10 2 3 400 50 6 7 8 9 1")
    // user + nice + system + irq + softirq, idle + iowait, steal, in ticks of 10 ms.
    #expect(
      time
        == ProcessorTime(
          busyNanoseconds: 280_000_000, idleNanoseconds: 4_500_000_000, stealNanoseconds: 80_000_000))
  }

  @Test(arguments: ["", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8 9 10", "cpu a b c d e f g h i j"])
  func `any other text is unknown`(line: String) { #expect(ProcessorTime.time(inStat: line) == nil) }
}

@Suite(.ownThread) struct ClockProbeTests {
  @Test(arguments: [1, 25, 41, 4_000_000])
  func `a clock's step and reading time are measured exactly`(step: UInt64) {
    var record = MachineRecord()
    ClockProbe.record(into: &record, clock: FakeClock(step: step).clock, readings: 1_000)
    #expect(record.clockReadingNanoseconds == Double(step))
    #expect(record.clockStepNanoseconds == Double(step))
  }
}

@Suite(.ownThread) struct DisturbanceWatchTests {
  /// Files that change between two readings.
  private final class Changing: Sendable {
    let texts = Mutex<[String: String]>([:])

    var files: MachineFiles { MachineFiles { path in self.texts.withLock { $0[path] } } }
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
    let changing = Changing()
    changing.texts.withLock { $0 = machine(busy: 10, steal: 100, pressure: 1_000, throttled: 50) }
    let own = Atomic<UInt64>(5)
    let watch = DisturbanceWatch(changing.files, ownNanoseconds: { own.load(ordering: .relaxed) })
    own.store(500_000_005, ordering: .relaxed)
    // 1.1 s at work, of which half a second is our own, 40 ms stolen on two processors, 500 ms of pressure, 10 ms held back.
    changing.texts.withLock { $0 = machine(busy: 120, steal: 104, pressure: 501_000, throttled: 10_050) }
    var record = MachineRecord()
    watch.record(into: &record, elapsedNanoseconds: 1_000_000_000, processors: 2)
    #expect(record.stealShare == 0.02)
    #expect(record.othersShare == 0.3)
    #expect(record.pressureShare == 0.5)
    #expect(record.throttledShare == 0.01)
  }
}
