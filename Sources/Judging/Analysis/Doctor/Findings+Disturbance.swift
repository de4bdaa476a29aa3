/// Who else uses the machine.
extension DoctorReadings {
  /// From which share of the time each is worth a word, and from which it spoils a check.
  private static let visibleSteal = 0.005
  private static let harmfulSteal = 0.05
  private static let visiblePressure = 0.25
  private static let visibleDrops = 0.05
  /// A check calls a cell of which more was dropped inconclusive.
  private static let harmfulDrops = 1.0 / 3

  var disturbanceFindings: [DoctorFinding] { [steal, pressure, load, drops] }

  private var steal: DoctorFinding {
    guard let share = machine.stealShare else { return .ok("steal", nil) }
    let seen = "\(CheckReport.percent(share)) of the processors' time"
    let advice =
      "run at another time, or on a machine of one's own; `check --against` drops the samples that it disturbs"
    if share > Self.harmfulSteal { return .problem("steal", seen, advice) }
    return share > Self.visibleSteal ? .note("steal", seen, advice) : .ok("steal", seen)
  }

  private var pressure: DoctorFinding {
    guard let share = machine.pressureShare else { return .ok("pressure", nil) }
    let seen = "for \(CheckReport.percent(share)) of the time a thread waited for a processor, ours included"
    return share > Self.visiblePressure
      ? .note("pressure", seen, "end what else runs here (`top`), or run at another time")
      : .ok("pressure", seen)
  }

  private var load: DoctorFinding {
    guard let average = machine.loadAverage else { return .ok("load", nil) }
    let others = machine.runnableThreads
    let seen =
      "average \(NumberText.ratio(average)) in the minute before"
      + (others.map { ", \(Plural.counted($0, "other thread")) runnable at the start" } ?? "")
    let processors = Double(machine.processorsAllowed ?? 1)
    // One of the others may be about to sleep again; the average may be a build that has just ended.
    return (others.map { Double($0) >= processors } ?? (average >= processors))
      ? .note("load", seen, "end what else runs here (`top`), or wait for it") : .ok("load", seen)
  }

  private var drops: DoctorFinding {
    let spreads = modes.flatMap(\.spreads)
    let (all, dropped) = (
      spreads.reduce(0) { $0 + $1.samples }, spreads.reduce(0) { $0 + $1.disturbedSamples }
    )
    guard all > 0 else { return .ok("disturbed samples", nil) }
    let share = Double(dropped) / Double(all)
    let seen = "\(CheckReport.percent(share)) of \(all) were dropped"
    let advice = "run at another time: a check calls inconclusive what has lost more than a third"
    if share > Self.harmfulDrops { return .problem("disturbed samples", seen, advice) }
    return share > Self.visibleDrops
      ? .note("disturbed samples", seen, advice) : .ok("disturbed samples", seen)
  }
}

/// What checks and charts need that is not there.
extension DoctorReadings {
  /// Commands whose presence matters.
  public static let commands = ["taskset", "chrt", "git", "python3"]

  var toolFindings: [DoctorFinding] { [build, oneProcessor, realTime, git, charts].compactMap(\.self) }

  private var build: DoctorFinding? {
    isReleaseBuild
      ? nil
      : .problem(
        "build", "a debug build: its figures say nothing of a release build",
        "build with `swift build -c release`"
      )
  }

  private var oneProcessor: DoctorFinding {
    guard let isPermitted = machine.isOneProcessorPermitted else { return .ok("one processor", nil) }
    if isPermitted { return .ok("one processor", "a process can be kept on it") }
    return .note(
      "one processor", missing(["taskset", "chrt"]) ?? "a process cannot be kept on it",
      "on Linux, install util-linux and permit sched_setaffinity; cost checks run on any processor meanwhile")
  }

  private var realTime: DoctorFinding {
    guard let isPermitted = machine.isRealTimePermitted else { return .ok("real-time priority", nil) }
    if isPermitted { return .ok("real-time priority", "permitted") }
    return .note(
      "real-time priority", missing(["chrt"]) ?? "refused",
      "it takes CAP_SYS_NICE or `ulimit -r 1` (`docker run --cap-add SYS_NICE`) and chrt of util-linux; wall checks run at the usual priority meanwhile"
    )
  }

  private var git: DoctorFinding? {
    machine.commands["git"].map {
      $0
        ? .ok("git", "there")
        : .note("git", "missing", "`check --against COMMIT` needs it: install it, or give an executable")
    }
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
