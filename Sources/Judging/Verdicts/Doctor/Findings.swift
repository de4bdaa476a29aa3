import Results

extension DoctorReadings {
  var disturbanceFindings: [DoctorFinding] {
    let pairs = outlooks.flatMap(\.spreads).map(\.pairs)
    let dropped = pairs.reduce(0) { $0 + 2 * $1.disturbedRounds }
    let samples = pairs.reduce(dropped) { $0 + 2 * $1.countedRounds }
    return [
      .ofShare(
        "steal", machine.stealShare, { "\($0) of the processors' time" },
        "run at another time, or on a dedicated machine; `check --against` drops the disturbed samples",
        from: 0.005, harmful: 0.05),
      others,
      .ofShare(
        "pressure", machine.pressureShare,
        { "a thread waited for a processor for \($0) of the time" },
        "stop other programs (see `top`), or run at another time", from: 0.25),
      // A check decides nothing where more than a third of the rounds was dropped.
      .ofShare(
        "disturbed samples", samples == 0 ? nil : Double(dropped) / Double(samples),
        { "\($0) of \(samples) were dropped" },
        "run at another time: a check decides nothing where more than a third of the samples was dropped",
        from: 0.05, harmful: 1.0 / 3),
    ]
  }

  var others: DoctorFinding {
    .ofShare(
      "other processes", machine.othersShare, { "took \($0) of the processors' time" },
      "stop other programs (see `top`), or run at another time", from: 0.1, harmful: 0.5)
  }
}

extension DoctorReadings {
  /// The commands that `bench doctor` looks for in the directories of `PATH`.
  public static let commands = ["taskset", "chrt", "git"]

  var toolFindings: [DoctorFinding] {
    let git = machine.commands["git"].map { _ in
      DoctorFinding.of(
        "git", machine.commands["git"], { $0 ? "there" : "missing" },
        "`check --against COMMIT` needs git: install git, or give an executable instead of a commit",
        if: { !$0 })
    }
    return [
      .of(
        "one processor", machine.isOneProcessorPermitted,
        { isPermitted in
          isPermitted
            ? "a process can be pinned to one processor"
            : missing(["taskset", "chrt"]) ?? "a process cannot be pinned to one processor"
        },
        "on Linux, install util-linux and permit sched_setaffinity; until then, checks of CPU time run on any processor",
        if: { !$0 }),
      .of(
        "real-time priority", machine.isRealTimePermitted,
        { $0 ? "permitted" : missing(["chrt"]) ?? "refused" },
        "real-time priority needs CAP_SYS_NICE (`docker run --cap-add SYS_NICE`) or `ulimit -r 1`, and chrt of util-linux; until then, checks of wall time run at normal priority",
        if: { !$0 }),
    ] + [git].compactMap(\.self)
  }

  var buildFindings: [DoctorFinding] {
    isReleaseBuild
      ? []
      : [
        .problem(
          "build", "a debug build: its figures say nothing of a release build",
          "build with `swift build -c release`")
      ]
  }

  private func missing(_ names: [String]) -> String? {
    let missing = names.filter { machine.commands[$0] == false }
    return missing.isEmpty ? nil : "\(missing.listed) missing"
  }
}

extension DoctorReadings {
  private static let littleMemoryBytes = 1_073_741_824.0
  /// `--awake`, which keeps processors awake, is advised if it shortens a hand-over between threads to less than this share of its time.
  private static let worthyShare = 0.8

  var machineFindings: [DoctorFinding] { processorFindings + [handOver] + memoryFindings }

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
        "multithreading", machine.multithreading,
        { $0 ? "on: two processors share a core" : "not active" },
        "keep the other half of the core idle, or `echo off > /sys/devices/system/cpu/smt/control`",
        if: \.self),
      .of(
        "frequency governor", machine.frequencyGovernors, { $0.joined(separator: ", ") },
        "the speed depends on the recent load: `cpupower frequency-set -g performance`",
        if: { $0 != ["performance"] }),
      .of(
        "turbo", machine.boost, { $0 ? "on" : "off" },
        "the speed depends on heat and on how many processors are busy: `echo 0 > /sys/devices/system/cpu/cpufreq/boost` (Intel: `echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo`)",
        if: \.self),
      .of(
        "virtual machine", machine.isVirtualMachine, { $0 ? "yes" : "no" },
        "the speed depends on other virtual machines: compare interleaved runs (`check --against`), never times of two runs",
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
      + (throttled > 0 ? ", throttled for \(CheckReport.percent(throttled)) of the time" : "")
    let advice =
      "raise the quota (`docker run --cpus`, Kubernetes `limits.cpu`) to at least 2: a process that exceeds the quota is stopped in the middle of a sample"
    if throttled > 0.001 { return .problem("processor quota", seen, advice) }
    return processors < 2 ? .note("processor quota", seen, advice) : .ok("processor quota", seen)
  }

  /// The properties of the machine that affect every number of a run, one a line.
  public static func conditions(of machine: MachineRecord) -> [String] {
    var readings = DoctorReadings()
    readings.machine = machine
    return [readings.processors, readings.quota, readings.others].compactMap { finding in
      guard let seen = finding.seen, let advice = finding.advice else { return nil }
      return "\(finding.subject): \(seen); \(advice)"
    }
  }

  /// How much of the processors' time other processes used, such as `took 31.0 % of the processors' time`; `nil` if it was little.
  static func others(_ share: Double?) -> String? {
    var readings = DoctorReadings()
    readings.machine.othersShare = share
    return readings.others.advice == nil ? nil : readings.others.seen
  }

  private var handOver: DoctorFinding {
    func text(_ price: HandOverRecord) -> String {
      "\(NumberText.time(price.medianNanoseconds)) in the median, \(NumberText.time(price.p90Nanoseconds)) at p90"
    }
    guard let asIs = machine.handOver else { return .ok("hand-over", nil) }
    let seen = "from thread to thread \(text(asIs))"
    guard let awake = machine.awakeHandOver else {
      return .ok("hand-over", seen + (machine.awakeNeeds.map { "; with `--awake` unknown: \($0)" } ?? ""))
    }
    let both = "\(seen); with processors kept awake \(text(awake))"
    if machine.latencyRequestMicroseconds != nil {
      return .ok("hand-over", both + ", as during the measurement")
    }
    return awake.medianNanoseconds > Self.worthyShare * asIs.medianNanoseconds
      ? .ok("hand-over", both)
      : .note(
        "hand-over", both,
        "idle processors sleep, and contenders that switch threads wait until a processor wakes: `--awake` prevents that"
      )
  }

  private var memoryFindings: [DoctorFinding] {
    let free = machine.memoryAvailableBytes
    return [
      .of(
        "memory", machine.memoryBytes,
        { NumberText.bytes($0) + (free.map { ", \(NumberText.bytes($0)) free" } ?? "") },
        "free memory: programs that lack memory wait for the disk",
        if: { (free ?? $0) < Self.littleMemoryBytes }),
      .of(
        "memory limit", machine.memoryLimitBytes,
        { if case .at(let bytes) = $0 { NumberText.bytes(bytes) } else { "none" } },
        "raise the limit (`docker run --memory`, Kubernetes `limits.memory`) to at least 1 GiB, which the largest scenarios need",
        if: { if case .at(let bytes) = $0 { bytes < Self.littleMemoryBytes } else { false } }),
      .of(
        "allocations", machine.countsAllocations,
        {
          ($0 ? "counted" : "not counted") + (machine.allocator.map { ", \($0) provides malloc" } ?? "")
        },
        "allocations are compared only with those of the same allocator: start without LD_PRELOAD, or do not link an allocator",
        if: { !$0 || machine.allocator != nil }),
      .of(
        "swap", machine.swapUsedBytes, { $0 > 0 ? "\(NumberText.bytes($0)) used" : "none used" },
        "reading swapped memory waits for the disk: free memory, then `swapoff -a`", if: { $0 > 0 }),
      .of(
        "transparent huge pages", machine.transparentHugePages, \.self,
        "whether a process gets huge pages varies: `echo madvise > /sys/kernel/mm/transparent_hugepage/enabled`",
        if: { $0 == "always" }),
    ]
  }
}

extension DoctorReadings {
  /// A clock that takes longer to read than this needs a system call. Usual readings take some tens of nanoseconds.
  private static let slowReadingNanoseconds = 200.0
  /// The largest step of a clock that is fine enough: a thousandth of a check's sample, which lasts at least two milliseconds.
  private static let coarseStepNanoseconds = 2_000.0

  var clock: DoctorFinding {
    let step = machine.clockStepNanoseconds ?? machine.clockResolutionNanoseconds
    func seen(_ reading: Double) -> String {
      [
        machine.clockSource,
        machine.clockResolutionNanoseconds.map { "claims steps of \(NumberText.time($0))" },
        machine.clockStepNanoseconds.map { "smallest seen \(NumberText.time($0))" },
        "a reading takes \(NumberText.time(reading))",
      ].compactMap(\.self).joined(separator: ", ")
    }
    if let reading = machine.clockReadingNanoseconds, let step, step > Self.coarseStepNanoseconds {
      return .problem(
        "clock", seen(reading),
        "the clock is too coarse for samples of 2 ms: boot with clocksource=tsc, or use another machine")
    }
    return .of(
      "clock", machine.clockReadingNanoseconds, seen,
      "the clock is read by a system call, which is slow: boot with clocksource=tsc, if available_clocksource below /sys/devices/system/clocksource has it",
      if: { $0 > Self.slowReadingNanoseconds })
  }
}
