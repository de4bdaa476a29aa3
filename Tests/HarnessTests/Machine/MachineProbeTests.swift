import Results
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
    }

    @Test func `a machine that shows nothing is not guessed at`() {
      var expected = MachineRecord()
      // That is asked of the clock, not of a file.
      expected.clockResolutionNanoseconds = record([:]).clockResolutionNanoseconds
      #expect(record([:]) == expected)
    }

    @Test func `garbled files are ignored`() {
      let garbled = Self.laptop.mapValues { _ in "?\n" }
      var expected = MachineRecord()
      expected.clockSource = "?"
      expected.clockResolutionNanoseconds = record([:]).clockResolutionNanoseconds
      expected.frequencyGovernors = record(garbled).frequencyGovernors
      #expect(record(garbled) == expected)
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
