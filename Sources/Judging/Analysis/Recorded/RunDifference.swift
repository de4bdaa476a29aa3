import Results

/// Something besides the contenders in which two recorded runs differ, or that is wrong with one of them.
public struct RunDifference: Sendable, Hashable {
  /// A sentence.
  public let text: String
  /// Whether a gate must not believe a verdict across it.
  public let isDoubt: Bool

  init(_ text: String, isDoubt: Bool = false) {
    self.text = text
    self.isDoubt = isDoubt
  }

  static func between(_ base: RecordedRun, _ candidate: RecordedRun) -> [RunDifference] {
    // The same run may stand on both sides.
    (machines(base, candidate) + build(base, candidate)
      + [base, candidate].flatMap { recording($0) }).unique()
  }

  /// What makes times differ although nobody changed the code, machine by machine.
  private static func machines(_ base: RecordedRun, _ candidate: RecordedRun) -> [RunDifference] {
    let common = Set(candidate.places)
    let places = base.places.filter(common.contains)
    // Where nothing is common there is nothing to doubt, but the runs themselves are worth a word.
    let pairs =
      places.isEmpty
      ? [(base.environment, candidate.environment, "")]
      : places.map { (base.environment(of: $0), candidate.environment(of: $0), $0.machine ?? "") }
    return pairs.flatMap { old, new, machine in
      self.machine(base.name, old, candidate.name, new, on: machine.isEmpty ? "" : " (\(machine))")
    }.unique()
  }

  private static func machine(
    _ base: String, _ old: EnvironmentRecord, _ candidate: String, _ new: EnvironmentRecord,
    on machine: String
  ) -> [RunDifference] {
    let facts: [(String, String?, String?)] = [
      ("processor", old.cpuModel, new.cpuModel),
      ("number of cores", old.coreCount.map(String.init), new.coreCount.map(String.init)),
      ("architecture", old.architecture, new.architecture),
      ("operating system", old.operatingSystem, new.operatingSystem), ("kernel", old.kernel, new.kernel),
      ("toolchain", old.toolchain, new.toolchain),
    ]
    return facts.compactMap { what, old, new in
      switch (old, new) {
      case (nil, nil): nil
      case (let old?, let new?) where old == new: nil
      case (let old?, let new?):
        RunDifference("Another \(what)\(machine): \(quoted(old)), now \(quoted(new)).", isDoubt: true)
      case (nil, _): RunDifference("\(base) does not say its \(what)\(machine).", isDoubt: true)
      case (_, nil): RunDifference("\(candidate) does not say its \(what)\(machine).", isDoubt: true)
      }
    }
  }

  private static func build(_ base: RecordedRun, _ candidate: RecordedRun) -> [RunDifference] {
    var differences: [RunDifference] = []
    let (old, new) = (base.environment, candidate.environment)
    if old.buildConfiguration == "debug", new.buildConfiguration == "debug" {
      differences.append(
        RunDifference("Both are debug builds: these times say nothing about a release build.", isDoubt: true))
    }
    if old.notes["drop_rule"] != new.notes["drop_rule"] {
      differences.append(RunDifference("They dropped disturbed rounds by different rules.", isDoubt: true))
    }
    if old.reference != new.reference, let reference = new.reference {
      differences.append(
        RunDifference(
          "\(candidate.name) was reported against \(SafeText.neutralised(reference)); here both are taken against the same contender."
        ))
    }
    return differences
  }

  private static func recording(_ run: RecordedRun) -> [RunDifference] {
    var differences: [RunDifference] = []
    if run.environment.isDirty == true {
      differences.append(
        RunDifference("\(run.name) was recorded with changes that its commit lacks."))
    }
    if run.environment.finishedAt == nil || run.environment.isInterrupted == true {
      differences.append(RunDifference("\(run.name) was ended early."))
    }
    if let line = run.truncatedLine {
      differences.append(
        RunDifference("Line \(line) of \(run.name)/\(RunDirectory.samplesName) was cut off and is left out."))
    }
    if run.lostSamples > 0 {
      differences.append(
        RunDifference(
          "\(run.name) lacks \(Plural.counted(run.lostSamples, "sample")) that its \(RunDirectory.summaryName) tells of: \(RunDirectory.samplesName) was cut off.",
          isDoubt: true))
    }
    if run.disturbedShare > RecordedRule.mostDisturbed {
      differences.append(
        RunDifference(
          "\(run.name) was disturbed: \(CheckReport.percent(run.disturbedShare)) of its samples are dropped.",
          isDoubt: true))
    }
    return differences
  }

  /// Text from a file, on one line and not endless.
  private static func quoted(_ text: String) -> String {
    let safe = SafeText.neutralised(text)
    return safe.count > 60 ? safe.prefix(60) + "…" : safe
  }
}
