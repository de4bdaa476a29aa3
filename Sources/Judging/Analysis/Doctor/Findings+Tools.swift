/// What checks and charts need that is not there.
extension DoctorReadings {
  /// Commands whose presence matters.
  public static let commands = ["taskset", "chrt", "git", "python3"]

  var toolFindings: [Finding] { [build, oneProcessor, realTime, git, charts].compactMap(\.self) }

  private var build: Finding? {
    isReleaseBuild
      ? nil
      : .problem(
        "build", "a debug build: its figures say nothing of a release build",
        "build with `swift build -c release`"
      )
  }

  private var oneProcessor: Finding {
    guard let isPermitted = machine.isOneProcessorPermitted else { return .ok("one processor", nil) }
    if isPermitted { return .ok("one processor", "a process can be kept on it") }
    return .note(
      "one processor", missing(["taskset", "chrt"]) ?? "a process cannot be kept on it",
      "on Linux, install util-linux and permit sched_setaffinity; cost checks run on any processor meanwhile")
  }

  private var realTime: Finding {
    guard let isPermitted = machine.isRealTimePermitted else { return .ok("real-time priority", nil) }
    if isPermitted { return .ok("real-time priority", "permitted") }
    return .note(
      "real-time priority", missing(["chrt"]) ?? "refused",
      "it takes CAP_SYS_NICE or `ulimit -r 1` (`docker run --cap-add SYS_NICE`) and chrt of util-linux; wall checks run at the usual priority meanwhile"
    )
  }

  private var git: Finding? {
    machine.commands["git"].map {
      $0
        ? .ok("git", "there")
        : .note("git", "missing", "`check --against COMMIT` needs it: install it, or give an executable")
    }
  }

  private var charts: Finding? {
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
