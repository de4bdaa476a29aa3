/// Who else uses the machine.
extension DoctorReadings {
  var disturbanceFindings: [DoctorFinding] {
    let spreads = modes.flatMap(\.spreads)
    let samples = spreads.reduce(0) { $0 + $1.samples }
    let dropped = spreads.reduce(0) { $0 + $1.disturbedSamples }
    return [
      .ofShare(
        "steal", machine.stealShare, { "\($0) of the processors' time" },
        "run at another time, or on a machine of one's own; `check --against` drops the samples that it disturbs",
        from: 0.005, harmful: 0.05),
      others,
      .ofShare(
        "pressure", machine.pressureShare,
        { "for \($0) of the time a thread waited for a processor, ours included" },
        "end what else runs here (`top`), or run at another time", from: 0.25),
      load,
      // A check calls a cell of which more than a third was dropped inconclusive.
      .ofShare(
        "disturbed samples", samples == 0 ? nil : Double(dropped) / Double(samples),
        { "\($0) of \(samples) were dropped" },
        "run at another time: a check calls inconclusive what has lost more than a third",
        from: 0.05, harmful: 1.0 / 3),
    ]
  }

  var others: DoctorFinding {
    .ofShare(
      "other processes", machine.othersShare, { "took \($0) of the processors' time" },
      "end what else runs here (`top`), or run at another time", from: 0.1, harmful: 0.5)
  }

  private var load: DoctorFinding {
    let others = machine.runnableThreads
    let processors = Double(machine.processorsAllowed ?? 1)
    let runnable = others.map { ", \(Plural.counted($0, "other thread")) runnable at the start" } ?? ""
    return .of(
      "load", machine.loadAverage, { "average \(NumberText.ratio($0)) in the minute before" + runnable },
      "end what else runs here (`top`), or wait for it"
    ) { average in
      // One of the others may be about to sleep again; the average may be a build that has just ended.
      others.map { Double($0) >= processors } ?? (average >= processors)
    }
  }
}

/// What checks and charts need that is not there.
extension DoctorReadings {
  /// Commands whose presence matters.
  public static let commands = ["taskset", "chrt", "git", "python3"]

  var toolFindings: [DoctorFinding] {
    let git = machine.commands["git"].map { _ in
      DoctorFinding.of(
        "git", machine.commands["git"], { $0 ? "there" : "missing" },
        "`check --against COMMIT` needs it: install it, or give an executable", if: { !$0 })
    }
    return [
      .of(
        "one processor", machine.isOneProcessorPermitted,
        { isPermitted in
          isPermitted
            ? "a process can be kept on it"
            : missing(["taskset", "chrt"]) ?? "a process cannot be kept on it"
        },
        "on Linux, install util-linux and permit sched_setaffinity; cost checks run on any processor meanwhile",
        if: { !$0 }),
      .of(
        "real-time priority", machine.isRealTimePermitted,
        { $0 ? "permitted" : missing(["chrt"]) ?? "refused" },
        "it takes CAP_SYS_NICE or `ulimit -r 1` (`docker run --cap-add SYS_NICE`) and chrt of util-linux; wall checks run at the usual priority meanwhile",
        if: { !$0 }),
    ] + [git, charts].compactMap(\.self)
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

  private var charts: DoctorFinding? {
    guard let hasPython = machine.commands["python3"] else { return nil }
    let advice = "for charts (`plot.py`): "
    if !hasPython { return .note("charts", "python3 is missing", advice + "install Python 3") }
    return machine.drawsCharts == true
      ? .ok("charts", "python3 and altair are there")
      : .note("charts", "python3 has no altair", advice + "`pip install altair vl-convert-python`")
  }

  private func missing(_ names: [String]) -> String? {
    let missing = names.filter { machine.commands[$0] == false }
    return missing.isEmpty ? nil : "\(missing.joined(separator: " and ")) missing"
  }
}
