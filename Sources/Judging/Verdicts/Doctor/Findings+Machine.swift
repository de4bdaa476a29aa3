import Results

/// What the processors, the memory and the kernel are like.
extension DoctorReadings {
  private static let littleMemoryBytes = 1_073_741_824.0
  /// A hand-over that takes more than this share of another's is as good as the same.
  private static let worthyShare = 0.8

  var machineFindings: [DoctorFinding] { processorFindings + [handOver] + memoryFindings + kernelFindings }

  private var processors: DoctorFinding {
    .of(
      "processors", machine.processorsAllowed,
      { allowed in
        machine.processorsOnline.map { "\(allowed) of \($0) may be used" } ?? "\(allowed) may be used"
      },
      "nothing runs in parallel here: look at CPU time, not at wall times", if: { $0 == 1 })
  }

  private var processorFindings: [DoctorFinding] {
    [
      processors, quota,
      .of(
        "multithreading", machine.isMultithreadingActive,
        { $0 ? "on: two processors share a core" : "not active" },
        "keep the other half of the core idle, or `echo off > /sys/devices/system/cpu/smt/control`",
        if: \.self),
      .of(
        "frequency governor", machine.frequencyGovernors, { $0.joined(separator: ", ") },
        "the speed follows the load of a moment ago: `cpupower frequency-set -g performance`",
        if: { $0 != ["performance"] }),
      .of(
        "turbo", machine.isBoostEnabled, { $0 ? "on" : "off" },
        "the speed depends on heat and on how many processors are busy: `echo 0 > /sys/devices/system/cpu/cpufreq/boost` (Intel: `echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo`)",
        if: \.self),
      .of(
        "virtual machine", machine.isVirtualMachine, { $0 ? "yes" : "no" },
        "its speed changes with its neighbours: compare interleaved runs (`check --against`), never times of two runs",
        if: \.self),
    ]
  }

  private var quota: DoctorFinding {
    guard case .at(let processors) = machine.processorQuota else {
      return .ok("processor quota", machine.processorQuota.map { _ in "none" })
    }
    let throttled = machine.throttledShare ?? 0
    let seen =
      "\(NumberText.ratio(processors)) processors' time"
      + (throttled > 0 ? ", held back for \(CheckReport.percent(throttled)) of the time" : "")
    let advice =
      "raise it (`docker run --cpus`, Kubernetes `limits.cpu`) to at least 2: who uses it up is stopped in the middle of a sample"
    if throttled > 0.001 { return .problem("processor quota", seen, advice) }
    return processors < 2 ? .note("processor quota", seen, advice) : .ok("processor quota", seen)
  }

  /// What of it bears on every number of a run: a line each.
  public static func conditions(of machine: MachineRecord) -> [String] {
    var readings = DoctorReadings()
    readings.machine = machine
    return [readings.processors, readings.quota, readings.others].compactMap { finding in
      guard let seen = finding.seen, let advice = finding.advice else { return nil }
      return "\(finding.subject): \(seen); \(advice)"
    }
  }

  /// What other processes took of the processors, such as `took 31.0 % of the processors' time`; nil if it does not matter.
  static func others(_ share: Double?) -> String? {
    var readings = DoctorReadings()
    readings.machine.othersShare = share
    return readings.others.advice == nil ? nil : readings.others.seen
  }

  private var handOver: DoctorFinding {
    func text(_ price: HandOverPrice) -> String {
      "\(DoctorReport.duration(price.medianNanoseconds)) in the median, \(DoctorReport.duration(price.p90Nanoseconds)) at p90"
    }
    guard let asIs = machine.handOver else { return .ok("hand-over", nil) }
    let seen = "from thread to thread \(text(asIs))"
    guard let awake = machine.awakeHandOver else {
      return .ok("hand-over", seen + (machine.awakeNeeds.map { "; with `--awake` unknown: \($0)" } ?? ""))
    }
    let both = "\(seen); with processors kept awake \(text(awake))"
    if machine.latencyRequestMicroseconds != nil {
      return .ok("hand-over", both + ", as in what was measured")
    }
    return awake.medianNanoseconds > Self.worthyShare * asIs.medianNanoseconds
      ? .ok("hand-over", both)
      : .note(
        "hand-over", both,
        "idle processors sleep, and idioms that change threads pay for waking them: `--awake` measures without that"
      )
  }

  private var memoryFindings: [DoctorFinding] {
    let free = machine.memoryAvailableBytes
    return [
      .of(
        "memory", machine.memoryBytes,
        { NumberText.bytes($0) + (free.map { ", \(NumberText.bytes($0)) free" } ?? "") },
        "free some: what is short of memory waits for the disk",
        if: { (free ?? $0) < Self.littleMemoryBytes }),
      .of(
        "memory limit", machine.memoryLimitBytes,
        { if case .at(let bytes) = $0 { NumberText.bytes(bytes) } else { "none" } },
        "raise it (`docker run --memory`, Kubernetes `limits.memory`) to at least 1 GiB: the largest scenarios need it",
        if: { if case .at(let bytes) = $0 { bytes < Self.littleMemoryBytes } else { false } }),
      .of(
        "swap", machine.swapUsedBytes, { $0 > 0 ? "\(NumberText.bytes($0)) used" : "none used" },
        "whoever touches that waits for the disk: free memory, then `swapoff -a`", if: { $0 > 0 }),
      .of(
        "transparent huge pages", machine.transparentHugePages, \.self,
        "whether a process gets them is luck: `echo madvise > /sys/kernel/mm/transparent_hugepage/enabled`",
        if: { $0 == "always" }),
    ]
  }

  private var kernelFindings: [DoctorFinding] {
    [
      .of("address randomisation", machine.isAddressSpaceRandomised) {
        $0 ? "on: no two processes lie alike, which is why pairs are counted, not samples" : "off"
      },
      .of("instruction counters", machine.countsInstructions) {
        ($0 ? "permitted" : "not permitted") + " (nothing here needs them)"
      },
      .of("light guard pages", machine.guardsPagesLightly) {
        $0
          ? "yes" : "no (Linux 6.13): each stack of a coroutine takes a mapping more, and its creation longer"
      },
    ]
  }
}

/// What a clock and the harness around it must be like.
extension DoctorReadings {
  /// A clock that is read without a system call takes some tens of nanoseconds.
  private static let slowReadingNanoseconds = 200.0
  /// A thousandth of the samples of a check, which last two milliseconds or more.
  private static let coarseStepNanoseconds = 2_000.0

  var clockFindings: [DoctorFinding] { [clock, harness] }

  private var clock: DoctorFinding {
    let step = machine.clockStepNanoseconds ?? machine.clockResolutionNanoseconds
    func seen(_ reading: Double) -> String {
      [
        machine.clockSource,
        machine.clockResolutionNanoseconds.map { "claims steps of \(DoctorReport.duration($0))" },
        machine.clockStepNanoseconds.map { "smallest seen \(DoctorReport.duration($0))" },
        "a reading takes \(DoctorReport.duration(reading))",
      ].compactMap(\.self).joined(separator: ", ")
    }
    if let reading = machine.clockReadingNanoseconds, let step, step > Self.coarseStepNanoseconds {
      return .problem(
        "clock", seen(reading),
        "too coarse for samples of 2 ms: boot with clocksource=tsc, or use another machine")
    }
    return .of(
      "clock", machine.clockReadingNanoseconds, seen,
      "read by a system call: boot with clocksource=tsc, if available_clocksource below /sys/devices/system/clocksource has it",
      if: { $0 > Self.slowReadingNanoseconds })
  }

  private var harness: DoctorFinding {
    let added = "adds \(DoctorReport.duration(harnessOverheadNanoseconds)) to a post"
    guard let post = shortestPost else { return .ok("harness", added) }
    return .ofShare(
      "harness", harnessOverheadNanoseconds / post.nanoseconds,
      { "\(added), \($0) of the shortest (\(post.scenario), \(DoctorReport.duration(post.nanoseconds)))" },
      // As in the report of a run.
      "the ratios of posts as short as that are nearer to 1 than they should be", from: 0.01)
  }
}
