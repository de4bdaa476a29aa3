/// What a clock and the harness around it must be like.
extension DoctorReadings {
  /// A clock that is read without a system call takes some tens of nanoseconds.
  private static let slowReadingNanoseconds = 200.0
  /// A thousandth of the samples of a check, which last two milliseconds or more.
  private static let coarseStepNanoseconds = 2_000.0
  /// From which share of a post the harness is worth a warning, as in the report of a run.
  private static let visibleOverhead = 0.01

  var clockFindings: [Finding] { [clock, harness] }

  private var clock: Finding {
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

  private var harness: Finding {
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
