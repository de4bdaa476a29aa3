import Foundation
import Harness
import Results
import Verdicts

/// Measures work that has a name, each piece beside its reference if it has one: `bench runtimes`, and `run` of anybody's
/// benchmarks.
enum BenchmarksCommand {
  static func run(_ arguments: [String], among known: ContenderList, _ command: Subcommand) throws -> ExitCode
  {
    let table = known.benchmarks
    let options = try BenchmarksOptions(arguments, known: table, known.aliases, command)
    try Recording.checkBuild(options.recording, subcommand: command)
    table.sayRemark()
    try Preparation.begin()
    let awake = try Awake.request(options.recording.isAwake)
    let directory = try RunDirectory.create(name: options.recording.name, in: options.recording.output)
    let reference = table.implementers[0].name
    let plan = RunPlan(
      directory: directory, contenders: options.contenders, scenarios: options.cases,
      options: options.recording, reference: reference, participants: options.participants
    ) {
      $0.sampleNanoseconds = 4_000_000
      $0.longestSampleNanoseconds = 200_000_000
      // Its workers do so themselves.
      $0.warmsSamples = false
      $0.timeoutNanoseconds = options.timeoutNanoseconds
      // With nobody to compare it with, it needs no second sample.
      if options.isAlone { $0.twice = nil }
    }
    let subjects = options.cases.map { work in
      (
        work.name,
        ScenarioSubject(
          text: table.references[work.name].map { "\(work.summary); reference: \($0)" } ?? work.summary,
          unit: work.unit, showsMemory: work.showsMemory)
      )
    }
    let analysis = AnalysisOptions(
      reference: reference, plannedCells: plan.cells,
      subjects: Dictionary(uniqueKeysWithValues: subjects))
    let recording = try Recording.measure(
      plan, in: directory, analysis: analysis,
      launcher: WorkerCommand.launcher(options: { [BenchmarkTable.workerOption, $0] })
        as WorkerProcessLauncher,
      isQuiet: options.recording.isQuiet, awake: awake)
    let report = Reporting(recording, analysis: analysis)
    try report.write()
    Terminal.print(
      try report.text(
        options.format, showsDetails: options.showsDetails,
        nextSteps: Reporting.charts(of: directory) + [
          "\(CommandName.invocation) check --against HEAD~1 \(table.option) \(options.cases[0].name)"
        ]), remains: directory.remains)
    try recording.checkInterruption()
    for failure in report.failures { Terminal.complain(failure) }
    return report.exitCode
  }
}

/// Everything that such a run is told.
struct BenchmarksOptions {
  static func options(_ command: Subcommand, _ noun: String) -> [Option] {
    [
      Option(
        "--\(noun)s", "A,B",
        "which \(noun)s, by name or glob, as `\(CommandName.current) list` shows them (all)"),
      Option("--contenders", "A,B", "contenders to measure beside the reference, by name or glob (all)"),
      ScenarioOptions.seed,
    ].titled(ScenarioOptions.measured)
      + [Option("--patience", "TIME", "how long one iteration may take (90s)")].titled(
        RecordingOptions.duration)
      + [Reporting.details].titled(RecordingOptions.output)
      + RecordingOptions.options(budget: "60s", format: ReportFormat.option(command))
  }

  let cases: [BenchmarkCase]
  /// The names of those who take part in anything, the reference first.
  let contenders: [String]
  /// Who takes part, by case.
  let participants: [String: [String]]
  let recording: RecordingOptions
  let format: ReportFormat
  /// Whether every table is printed.
  let showsDetails: Bool
  /// How long one iteration may take; nil: the usual time.
  let timeoutNanoseconds: UInt64?

  init(
    _ arguments: [String], known: BenchmarkTable, _ aliases: AliasTable = AliasTable(),
    _ command: Subcommand = .runtimes
  ) throws {
    let options = try Options(arguments, known: Self.options(command, known.noun))
    let all = known.implementers.map(\.name)
    let wanted = try options.contenders(among: all, aliases)
    let chosen = all.filter { $0 == all.first || wanted?.contains($0) ?? true }
    let asked = try options.list(known.option)
    // A case that none of the wanted contenders implements would be a table of the reference alone, which is no news.
    let hasReference = !known.references.isEmpty
    func isImplemented(_ work: BenchmarkCase) -> Bool {
      chosen.dropFirst(hasReference ? 1 : 0).contains { known.implements($0, work) }
    }
    let cases = try known.cases(asked).filter { asked != nil || isImplemented($0) }
    guard cases.contains(where: isImplemented) else {
      throw UsageError(
        "\(chosen.dropFirst().joined(separator: ", ")) implements none of: "
          + "\(cases.map(\.name).joined(separator: ", ")). `\(CommandName.current) list` shows who implements what."
      )
    }
    self.cases = cases
    contenders = chosen.filter { name in cases.contains { known.implements(name, $0) } }
    participants = Dictionary(
      uniqueKeysWithValues: cases.map { work in (work.name, chosen.filter { known.implements($0, work) }) })
    recording = try RecordingOptions(options, budgetNanoseconds: 60_000_000_000, generations: 6)
    format = try ReportFormat(options, command)
    showsDetails = options.has(Reporting.details.name)
    timeoutNanoseconds = try options.duration("--patience")
  }

  /// Whether no case has more than one who does it.
  var isAlone: Bool { participants.values.allSatisfy { $0.count < 2 } }
}
