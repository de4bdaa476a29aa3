/// Who else uses the machine.
extension DoctorReadings {
  /// From which share of the time each is worth a word, and from which it spoils a check.
  private static let visibleSteal = 0.005
  private static let harmfulSteal = 0.05
  private static let visiblePressure = 0.25
  private static let visibleDrops = 0.05
  /// A check calls a cell of which more was dropped inconclusive.
  private static let harmfulDrops = 1.0 / 3

  var disturbanceFindings: [Finding] { [steal, pressure, load, drops] }

  private var steal: Finding {
    guard let share = machine.stealShare else { return .ok("steal", nil) }
    let seen = "\(CheckReport.percent(share)) of the processors' time"
    let advice =
      "run at another time, or on a machine of one's own; `check --against` drops the samples that it disturbs"
    if share > Self.harmfulSteal { return .problem("steal", seen, advice) }
    return share > Self.visibleSteal ? .note("steal", seen, advice) : .ok("steal", seen)
  }

  private var pressure: Finding {
    guard let share = machine.pressureShare else { return .ok("pressure", nil) }
    let seen = "for \(CheckReport.percent(share)) of the time a thread waited for a processor, ours included"
    return share > Self.visiblePressure
      ? .note("pressure", seen, "end what else runs here (`top`), or run at another time")
      : .ok("pressure", seen)
  }

  private var load: Finding {
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

  private var drops: Finding {
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
