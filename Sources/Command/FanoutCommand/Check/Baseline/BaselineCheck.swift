import Harness
import Results
import UploadScenario
import Verdicts

/// Whether a run costs more than a recorded one: another recorded one, or one of this build that is measured now.
enum BaselineCheck {
  static func report(_ options: Options, _ known: ContenderList, _ output: CheckOutput) throws -> CheckReport
  {
    let options = try BaselineOptions(options, known.aliases)
    if options.candidate == nil { try refuseWhatCannotDecide(options) }
    if let candidate = options.candidate, candidate.isSame(as: options.baseline) {
      return CheckReport(ofRunItself: candidate)
    }
    let candidate = try options.candidate ?? measured(options, known, output)
    return CheckReport(
      try RecordedComparison(base: options.baseline, candidate: candidate, options.terms), isGate: true)
  }

  /// Whoever cannot be compared with itself cannot be compared with anything: that is said before a minute is spent.
  static func refuseWhatCannotDecide(_ options: BaselineOptions) throws {
    let baseline = options.baseline
    let itself = CheckReport(
      try RecordedComparison(base: baseline, candidate: baseline, options.terms), isGate: true)
    guard itself.saysNothing else { return }
    let reason = itself.rows.compactMap(\.reason).first.map { ": \($0)" } ?? ""
    throw Undecidable(
      description:
        "\(baseline.name) cannot decide anything\(reason). Record it again, for longer, with `\(CommandName.invocation) run --name baseline`."
    )
  }

  /// Measures now what a baseline measured: the same scenarios, contenders and seed, for as long.
  ///
  /// - Throws: `Interrupted`, if the user ended it.
  private static func measured(_ check: BaselineOptions, _ known: ContenderList, _ output: CheckOutput)
    throws -> RecordedRun
  {
    try UsageError.checkBuild(.check, allowsDebug: false, or: "--candidate")
    let baseline = check.baseline
    let command = try BaselineCommand(of: baseline, known: known.all.map(\.name))
    if !known.isSuite,
      let problem = baseline.contractProblem(beside: ContenderContract.edition, of: "this build")
    {
      throw problem
    }
    let options: RunOptions
    do { options = try RunOptions(Array(command.arguments.dropFirst()), known: known) } catch {
      throw BaselineProblem(
        "the command that recorded \(baseline.name) cannot be repeated by this build: \(SafeText.neutralised("\(error)")) Record a candidate, and give --candidate."
      )
    }
    let reference = check.terms.reference ?? baseline.environment.reference
    let contenders = options.contenders.map(\.name).filter {
      $0 == reference || check.terms.contenders?.contains($0) ?? true
    }
    let scenarios = options.scenarios.filter {
      baseline.scenarios.contains($0.name) && check.terms.scenarios?.contains($0.name) ?? true
    }
    guard !scenarios.isEmpty else {
      throw BaselineProblem(
        "\(baseline.name) measured \(baseline.scenarios.prefix(8).joined(separator: ", ")), none of which this build knows by that name."
      )
    }
    let awake = try Awake.request(options.recording.isAwake)
    let store = try Store(for: scenarios)
    defer { store.clean() }
    let folder = check.output ?? TemporaryFolder.path("fanout-check")
    defer { if check.output == nil { TemporaryFolder.remove(folder) } }
    let directory = try RunDirectory.create(in: folder)
    let plan = RunPlan(
      directory: directory, contenders: contenders, scenarios: store.scenarios, options: options.recording,
      reference: options.reference,
      participants: options.participants.mapValues { $0.filter(contenders.contains) })
    let analysis = try RunCommand.analysisOptions(plan, options)
    BuildAge.remark.map(output.progress)
    output.progress("measuring \(Plural.counted(plan.cells.count, "cell")) as the baseline did …")
    let recording = try Recording.measure(
      plan, in: directory, analysis: analysis,
      launcher: WorkerCommand.launcher(budgetNanoseconds: options.recording.budgetNanoseconds),
      isQuiet: output.isQuiet, awake: awake, commandLine: [CommandName.current] + command.arguments)
    try Reporting(recording, analysis: analysis).write()
    if Interruption.isRequested {
      throw Interrupted("nothing was compared" + (check.output == nil ? "" : "; \(recording.remains)"))
    }
    return RecordedRun(
      name: check.output == nil ? "this build" : directory.path,
      environment: try directory.readEnvironment(), samples: recording.samples)
  }
}

/// The options that say what of two recorded runs is compared.
enum RecordedTerms {
  /// Smaller changes of a recorded time a shared machine does not decide (Documentation/Checking.md).
  static let usualMargin = 0.25

  static let options = [
    Option("--margin", "SHARE", "the smallest change that matters (25%)"),
    Option("--contenders", "A,B", "only these, by name or glob (all that both runs have)"),
    Option("--scenario", "A,B", "only these scenarios, by name or glob (all that both runs have)"),
    Option("--reference", "NAME", "contender that ratios are taken through (the base's own reference)"),
  ]

  /// - Parameter runs: those whose names are known: the base, and the candidate if it has been recorded.
  static func terms(_ options: Options, runs: [RecordedRun], _ aliases: AliasTable = AliasTable()) throws
    -> RecordedComparison.Terms
  {
    let contenders = runs.flatMap(\.contenders).unique()
    let reference = try options.text("--reference").map { try aliases.name($0, among: contenders) }
    return RecordedComparison.Terms(
      margin: try options.margin("--margin") ?? usualMargin, reference: reference,
      contenders: try options.names("--contenders", "contender", among: contenders, aliases),
      scenarios: try options.names("--scenario", "scenario", among: runs.flatMap(\.scenarios).unique()))
  }
}
