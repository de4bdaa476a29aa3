import Results

/// A difference between two recorded runs, other than in their contenders, or a defect of one run.
public struct RunDifference: Sendable, Hashable {
  public let text: String
  /// Whether a check must not trust its verdict because of this difference.
  public let isDoubt: Bool

  init(_ text: String, isDoubt: Bool = false) {
    self.text = text
    self.isDoubt = isDoubt
  }

  static func between(_ base: RecordedRun, _ candidate: RecordedRun) -> [RunDifference] {
    // Duplicates are removed, because both sides may be the same run.
    (machines(base, candidate) + build(base, candidate)
      + [base, candidate].flatMap { recording($0) }).unique()
  }

  private static func machines(_ base: RecordedRun, _ candidate: RecordedRun) -> [RunDifference] {
    let common = Set(candidate.places)
    let places = base.places.filter(common.contains)
    // If the runs have no common scenario, the machines of the whole runs are compared.
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
        RunDifference(
          "The runs differ in their \(what)\(machine): \(quoted(old)), now \(quoted(new)).", isDoubt: true)
      case (nil, _): RunDifference("\(base) does not record its \(what)\(machine).", isDoubt: true)
      case (_, nil): RunDifference("\(candidate) does not record its \(what)\(machine).", isDoubt: true)
      }
    }
  }

  private static func build(_ base: RecordedRun, _ candidate: RecordedRun) -> [RunDifference] {
    let (old, new) = (base.environment, candidate.environment)
    return [
      old.buildConfiguration != "debug" || new.buildConfiguration != "debug"
        ? nil
        : RunDifference(
          "Both are debug builds: these times say nothing about a release build.", isDoubt: true),
      old.notes["drop_rule"] == new.notes["drop_rule"]
        ? nil : RunDifference("The two runs left out disturbed rounds by different rules.", isDoubt: true),
      handOvers(base, candidate),
      (old.latencyRequestMicroseconds == nil) == (new.latencyRequestMicroseconds == nil)
        ? nil : RunDifference("Only one of the two runs kept processors awake (--awake).", isDoubt: true),
      new.reference.flatMap { reference in
        old.reference == reference
          ? nil
          : RunDifference(
            "\(candidate.name) compares with \(SafeText.neutralised(reference)), but here the reference of both runs is the same contender."
          )
      },
    ].compactMap(\.self)
  }

  /// Compares the hand-over between threads. Idle states of processors lengthen it, which slows contenders that switch threads.
  private static func handOvers(_ base: RecordedRun, _ candidate: RecordedRun) -> RunDifference? {
    guard let old = base.environment.handOver?.medianNanoseconds,
      let new = candidate.environment.handOver?.medianNanoseconds,
      max(old, new) > 1.25 * min(old, new)
    else { return nil }
    func span(_ run: RecordedRun) -> String {
      ReportNotes.span(run.environment.handOvers ?? [], \.medianNanoseconds)
    }
    return RunDifference(
      "A hand-over between two threads took \(span(base)) in \(base.name) and \(span(candidate)) in \(candidate.name): this alone changes the times of contenders that switch threads."
    )
  }

  private static func recording(_ run: RecordedRun) -> [RunDifference] {
    let samples = RunDirectory.samplesName
    let mild = [
      run.environment.isDirty == true ? "was recorded with uncommitted changes." : nil,
      run.environment.earlyEnd == nil ? nil : "was ended early.",
      DoctorReadings.others(run.environment.othersShare).map { "was recorded while other processes \($0)." },
    ].compactMap(\.self).map { RunDifference("\(run.name) \($0)") }
    let cut = run.truncatedLine.map {
      [RunDifference("Line \($0) of \(run.name)/\(samples) was cut off and is left out.")]
    }
    let doubts = [
      run.lostSamples > 0
        ? "lacks \(Plural.counted(run.lostSamples, "sample")) that its \(RunDirectory.summaryName) counts."
        : nil,
      run.disturbedShare > RecordedRule.mostDisturbed
        ? "was disturbed: \(CheckReport.percent(run.disturbedShare)) of its samples are dropped." : nil,
    ].compactMap(\.self).map { RunDifference("\(run.name) \($0)", isDoubt: true) }
    return mild + (cut ?? []) + doubts
  }

  private static func quoted(_ text: String) -> String {
    let safe = SafeText.neutralised(text)
    return safe.count > 60 ? safe.prefix(60) + "…" : safe
  }
}
