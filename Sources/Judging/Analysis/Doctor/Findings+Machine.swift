import Results

/// What the processors, the memory and the kernel are like.
extension DoctorReadings {
  private static let littleMemoryBytes = 1_073_741_824.0

  var machineFindings: [DoctorFinding] {
    [
      processors, quota, multithreading, governor, boost, virtualMachine, memory, memoryLimit, swap,
      hugePages,
      addresses, counters, guards,
    ]
  }

  private var processors: DoctorFinding {
    guard let allowed = machine.processorsAllowed else { return .ok("processors", nil) }
    let seen = machine.processorsOnline.map { "\(allowed) of \($0) may be used" } ?? "\(allowed) may be used"
    return allowed == 1
      ? .note("processors", seen, "nothing runs in parallel here: look at CPU time, not at wall times")
      : .ok("processors", seen)
  }

  private var quota: DoctorFinding {
    switch machine.processorQuota {
    case nil: return .ok("processor quota", nil)
    case .unlimited: return .ok("processor quota", "none")
    case .at(let processors):
      let throttled = machine.throttledShare ?? 0
      let seen =
        "\(NumberText.ratio(processors)) processors' time"
        + (throttled > 0 ? ", held back for \(CheckReport.percent(throttled)) of the time" : "")
      let advice =
        "raise it (`docker run --cpus`, Kubernetes `limits.cpu`) to at least 2: who uses it up is stopped in the middle of a sample"
      if throttled > 0.001 { return .problem("processor quota", seen, advice) }
      return processors < 2 ? .note("processor quota", seen, advice) : .ok("processor quota", seen)
    }
  }

  private var multithreading: DoctorFinding {
    machine.isMultithreadingActive.map { isActive in
      isActive
        ? .note(
          "multithreading", "on: two processors share a core",
          "keep the other half of the core idle, or `echo off > /sys/devices/system/cpu/smt/control`")
        : .ok("multithreading", "not active")
    } ?? .ok("multithreading", nil)
  }

  private var governor: DoctorFinding {
    guard let governors = machine.frequencyGovernors else { return .ok("frequency governor", nil) }
    let seen = governors.joined(separator: ", ")
    return governors == ["performance"]
      ? .ok("frequency governor", seen)
      : .note(
        "frequency governor", seen,
        "the speed follows the load of a moment ago: `cpupower frequency-set -g performance`")
  }

  private var boost: DoctorFinding {
    guard let isEnabled = machine.isBoostEnabled else { return .ok("turbo", nil) }
    return isEnabled
      ? .note(
        "turbo", "on",
        "the speed depends on heat and on how many processors are busy: `echo 0 > /sys/devices/system/cpu/cpufreq/boost` (Intel: `echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo`)"
      )
      : .ok("turbo", "off")
  }

  private var virtualMachine: DoctorFinding {
    guard let isVirtual = machine.isVirtualMachine else { return .ok("virtual machine", nil) }
    return isVirtual
      ? .note(
        "virtual machine", "yes",
        "its speed changes with its neighbours: compare interleaved runs (`check --against`), never times of two runs"
      )
      : .ok("virtual machine", "no")
  }

  private var memory: DoctorFinding {
    guard let total = machine.memoryBytes else { return .ok("memory", nil) }
    let seen =
      NumberText.bytes(total) + (machine.memoryAvailableBytes.map { ", \(NumberText.bytes($0)) free" } ?? "")
    return (machine.memoryAvailableBytes ?? total) < Self.littleMemoryBytes
      ? .note("memory", seen, "free some: what is short of memory waits for the disk") : .ok("memory", seen)
  }

  private var memoryLimit: DoctorFinding {
    switch machine.memoryLimitBytes {
    case nil: return .ok("memory limit", nil)
    case .unlimited: return .ok("memory limit", "none")
    case .at(let bytes):
      return bytes < Self.littleMemoryBytes
        ? .note(
          "memory limit", NumberText.bytes(bytes),
          "raise it (`docker run --memory`, Kubernetes `limits.memory`) to at least 1 GiB: the largest scenarios need it"
        )
        : .ok("memory limit", NumberText.bytes(bytes))
    }
  }

  private var swap: DoctorFinding {
    guard let used = machine.swapUsedBytes else { return .ok("swap", nil) }
    return used > 0
      ? .note(
        "swap", "\(NumberText.bytes(used)) used",
        "whoever touches that waits for the disk: free memory, then `swapoff -a`")
      : .ok("swap", "none used")
  }

  private var hugePages: DoctorFinding {
    guard let setting = machine.transparentHugePages else { return .ok("transparent huge pages", nil) }
    return setting == "always"
      ? .note(
        "transparent huge pages", setting,
        "whether a process gets them is luck: `echo madvise > /sys/kernel/mm/transparent_hugepage/enabled`")
      : .ok("transparent huge pages", setting)
  }

  private var addresses: DoctorFinding {
    .ok(
      "address randomisation",
      machine.isAddressSpaceRandomised.map {
        $0 ? "on: no two processes lie alike, which is why pairs are counted, not samples" : "off"
      })
  }

  private var counters: DoctorFinding {
    .ok(
      "instruction counters",
      machine.countsInstructions.map {
        $0 ? "permitted (nothing here needs them)" : "not permitted (nothing here needs them)"
      })
  }

  private var guards: DoctorFinding {
    .ok(
      "light guard pages",
      machine.guardsPagesLightly.map {
        $0
          ? "yes" : "no (Linux 6.13): each stack of a coroutine takes a mapping more, and its creation longer"
      })
  }
}

/// What a clock and the harness around it must be like.
extension DoctorReadings {
  /// A clock that is read without a system call takes some tens of nanoseconds.
  private static let slowReadingNanoseconds = 200.0
  /// A thousandth of the samples of a check, which last two milliseconds or more.
  private static let coarseStepNanoseconds = 2_000.0
  /// From which share of a post the harness is worth a warning, as in the report of a run.
  private static let visibleOverhead = 0.01

  var clockFindings: [DoctorFinding] { [clock, harness] }

  private var clock: DoctorFinding {
    guard let reading = machine.clockReadingNanoseconds else { return .ok("clock", nil) }
    let step = machine.clockStepNanoseconds ?? machine.clockResolutionNanoseconds
    let seen = [
      machine.clockSource,
      machine.clockResolutionNanoseconds.map { "claims steps of \(DoctorReport.duration($0))" },
      machine.clockStepNanoseconds.map { "smallest seen \(DoctorReport.duration($0))" },
      "a reading takes \(DoctorReport.duration(reading))",
    ].compactMap(\.self).joined(separator: ", ")
    if let step, step > Self.coarseStepNanoseconds {
      return .problem(
        "clock", seen, "too coarse for samples of 2 ms: boot with clocksource=tsc, or use another machine")
    }
    if reading > Self.slowReadingNanoseconds {
      return .note(
        "clock", seen,
        "read by a system call: boot with clocksource=tsc, if available_clocksource below /sys/devices/system/clocksource has it"
      )
    }
    return .ok("clock", seen)
  }

  private var harness: DoctorFinding {
    let overhead = DoctorReport.duration(harnessOverheadNanoseconds)
    guard let shortestPost else { return .ok("harness", "adds \(overhead) to a post") }
    let share = harnessOverheadNanoseconds / shortestPost.nanoseconds
    let seen =
      "adds \(overhead) to a post, \(CheckReport.percent(share)) of the shortest (\(shortestPost.scenario), \(DoctorReport.duration(shortestPost.nanoseconds)))"
    return share > Self.visibleOverhead
      ? .note("harness", seen, "the ratios of posts as short as that are nearer to 1 than they should be")
      : .ok("harness", seen)
  }
}
