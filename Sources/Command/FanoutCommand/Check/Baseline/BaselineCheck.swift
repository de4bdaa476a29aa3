import Harness
import Results
import UploadScenario
import Verdicts

/// Checks whether a recorded run, or else a new run of this build, costs more than a recorded baseline.
enum BaselineCheck {
  static func report(_ options: Options, _ known: ContenderList, _ output: CheckOutput) throws -> CheckReport
  {
    if let base = options.text("--baseline"), let candidate = options.text("--candidate"),
      !options.has("--output"), let environment = try RecordedRun.onlyOne(of: [base, candidate])
    {
      try BaselineOptions.check(environment, of: base, allowsDirty: options.has("--allow-dirty"))
      return CheckReport(ofRunItself: candidate, environment)
    }
    let options = try BaselineOptions(options, known.aliases)
    if options.candidate == nil { try refuseWhatCannotDecide(options) }
    if let candidate = options.candidate, candidate.isSame(as: options.baseline) {
      return CheckReport(ofRunItself: candidate.name, candidate.environment)
    }
    let candidate = try options.candidate ?? measured(options, known, output)
    return CheckReport(
      try RecordedComparison(base: options.baseline, candidate: candidate, options.terms), isGate: true)
  }

  /// Compares the baseline with itself. If the baseline is too noisy to decide even that, throws before anything is measured.
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
        "\(baseline.name) measured \(baseline.scenarios.prefix(8).joined(separator: ", ")), and this build has no scenario of such a name. Record the baseline again."
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
    output.progress(
      "measuring \(Plural.counted(contenders.count, "contender")) in \(Plural.counted(scenarios.count, "scenario")), as the baseline did …"
    )
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

enum RecordedTerms {
  /// Runs recorded on a shared machine cannot decide smaller changes (Documentation/Checking.md).
  static let usualMargin = 0.25

  static let options = [
    Option("--margin", "SHARE", "the smallest change that matters (25%)"),
    Option("--contenders", "A,B", "only these contenders, by name or glob (all that both runs have)"),
    Option("--scenario", "A,B", "only these scenarios, by name or glob (all that both runs have)"),
    Option("--reference", "NAME", "contender that ratios are relative to (that of the baseline)"),
  ]

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

/// The command line that recorded a baseline. This build repeats it, as samples.csv does not contain latencies, faults and budget.
struct BaselineCommand {
  let arguments: [String]

  /// Options that this build does not repeat: they do not affect the measurement, or they write files.
  private static let leftOut = [
    "--output", "--name", "--machine", "--format", "--store", "--quiet", "--allow-debug-build",
  ]

  init(of baseline: RecordedRun, known: [String]) throws {
    var given = Array(baseline.environment.commandLine.dropFirst())
    if let first = given.first, !first.hasPrefix("-") {
      guard first == Subcommand.run.rawValue else {
        throw BaselineProblem(
          "\(baseline.name) was not recorded by `\(CommandName.current) run` but by `\(SafeText.neutralised(first))`: record a candidate in the same way, and give --candidate."
        )
      }
      given.removeFirst()
    }
    var (kept, rest) = ([String](), given[...])
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      let option = RunOptions.options.first { $0.name == parts[0] }
      // Unknown options are kept. This build refuses them later, when it parses the arguments.
      let value = parts.count == 2 ? parts[1] : option?.value == nil ? nil : rest.popFirst()
      switch parts[0] {
      case "--contenders": continue
      case "--scenario":
        let names = (value ?? "").split(separator: ",").map(String.init)
        kept += [
          parts[0],
          names.filter { Catalog.named.map(\.name).contains(where: Glob($0).matches) }.joined(separator: ","),
        ]
      case _ where Self.leftOut.contains(parts[0]): continue
      default: kept += [parts[0]] + [value].compactMap(\.self)
      }
    }
    let contenders = baseline.contenders.filter(known.contains)
    guard !contenders.isEmpty else {
      throw BaselineProblem(
        "\(baseline.name) measured \(baseline.contenders.prefix(8).joined(separator: ", ")), and this build has none of them. Record the baseline again."
      )
    }
    arguments = [Subcommand.run.rawValue, "--contenders", contenders.joined(separator: ",")] + kept
  }
}

struct BaselineOptions {
  static let options =
    [
      Option(
        "--baseline", "DIR",
        "a recorded run; finds large changes of times (--margin 25%) and all changes of exact counts"),
      Option("--candidate", "DIR", "the recorded run to compare with it (a new run of this build)"),
      Option("--output", "DIR", "folder for the run that is measured now (a temporary folder)"),
      Option("--allow-dirty", nil, "accept a baseline that was recorded with uncommitted changes"),
    ] + RecordedTerms.options

  let baseline: RecordedRun
  /// The recorded run to compare with the baseline. `nil` if this build is measured instead.
  let candidate: RecordedRun?
  let terms: RecordedComparison.Terms
  let output: String?

  init(_ options: Options, _ aliases: AliasTable = AliasTable()) throws {
    output = options.text("--output")
    if options.has("--candidate"), output != nil {
      throw UsageError("--output and --candidate exclude each other: with a candidate nothing is measured.")
    }
    baseline = try RecordedRun.read(options.text("--baseline") ?? "")
    try Self.check(baseline.environment, of: baseline.name, allowsDirty: options.has("--allow-dirty"))
    candidate = try options.text("--candidate").map(RecordedRun.read)
    terms = try RecordedTerms.terms(options, runs: [baseline] + [candidate].compactMap(\.self), aliases)
  }

  static func check(_ baseline: EnvironmentRecord, of name: String, allowsDirty: Bool) throws {
    if baseline.buildConfiguration == "debug" {
      throw BaselineProblem(
        "\(name) was recorded by a debug build, whose times mean nothing. Record it with `swift run -c release \(CommandName.current) run`."
      )
    }
    if baseline.isDirty == true, !allowsDirty {
      let commit =
        baseline.commit.map { SafeText.neutralised(String($0.prefix(12))) } ?? "unknown"
      throw BaselineProblem(
        "\(name) was recorded with changes that its commit \(commit) lacks, so it cannot be built again. Record it from a clean work tree, or give --allow-dirty."
      )
    }
  }
}
