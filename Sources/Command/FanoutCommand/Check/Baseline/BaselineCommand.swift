import Verdicts
import Results
import UploadScenario

/// The command that recorded a baseline, as one that this build can follow.
///
/// The baseline's own command says what its columns do not: latencies, faults, deadlines, budget.
struct BaselineCommand {
  /// What follows the name of the executable.
  let arguments: [String]

  /// What decides nothing about the measurement, or writes somewhere.
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
      // A word that belongs to no option is for the parser to refuse.
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
        "\(baseline.name) measured \(baseline.contenders.prefix(8).joined(separator: ", ")), none of which this build knows."
      )
    }
    arguments = [Subcommand.run.rawValue, "--contenders", contenders.joined(separator: ",")] + kept
  }
}

/// What `bench check --baseline` is told.
struct BaselineOptions {
  static let options =
    [
      Option(
        "--baseline", "DIR",
        "a recorded run: large changes of its times (--margin 25%), any of its exact counts"),
      Option("--candidate", "DIR", "the recorded run to hold against it (measured now, as the baseline was)"),
      Option("--output", "DIR", "keep what is measured now in a run directory there (it is removed)"),
      Option("--allow-dirty", nil, "take a baseline that was recorded with changes that its commit lacks"),
    ] + RecordedTerms.options

  let baseline: RecordedRun
  /// nil: it is measured now.
  let candidate: RecordedRun?
  let terms: RecordedComparison.Terms
  let output: String?

  init(_ options: Options, _ aliases: AliasTable = AliasTable()) throws {
    output = options.text("--output")
    if options.has("--candidate"), output != nil {
      throw UsageError("--output keeps what is measured now, and --candidate was measured before.")
    }
    baseline = try RecordedRun.read(options.text("--baseline") ?? "")
    try Self.check(baseline, allowsDirty: options.has("--allow-dirty"))
    candidate = try options.text("--candidate").map(RecordedRun.read)
    terms = try RecordedTerms.terms(options, runs: [baseline] + [candidate].compactMap(\.self), aliases)
  }

  /// A baseline that others are to be held against for a long time must be worth it.
  private static func check(_ baseline: RecordedRun, allowsDirty: Bool) throws {
    if baseline.environment.buildConfiguration == "debug" {
      throw BaselineProblem(
        "\(baseline.name) was recorded by a debug build, whose times say nothing. Record it with `swift run -c release \(CommandName.current) run`."
      )
    }
    if baseline.environment.isDirty == true, !allowsDirty {
      let commit =
        baseline.environment.commit.map { SafeText.neutralised(String($0.prefix(12))) } ?? "unknown"
      throw BaselineProblem(
        "\(baseline.name) was recorded with changes that its commit \(commit) lacks, so nobody can build it again. Record it from a clean tree, or give --allow-dirty."
      )
    }
  }
}
