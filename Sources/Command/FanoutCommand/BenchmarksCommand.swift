import Harness
import Results
import RuntimeOperations
import Verdicts

/// Runs `bench runtimes` and the benchmarks of a package. Compares each implementation with a reference.
enum BenchmarksCommand {
  static func run(_ arguments: [String], among known: ContenderList, _ command: Subcommand) throws -> ExitCode
  {
    let table = known.benchmarks
    let options = try BenchmarksOptions(arguments, known: table, known.aliases, command)
    try options.recording.checkBuild()
    try Preparation.begin()
    let awake = try Awake.request(options.recording.isAwake)
    let directory = try RunDirectory.create(name: options.recording.name, in: options.recording.output)
    let plan = RunPlan(
      directory: directory, contenders: options.contenders, scenarios: options.cases,
      options: options.recording, reference: options.reference, participants: options.participants
    ) {
      $0.sampleNanoseconds = 4_000_000
      $0.longestSampleNanoseconds = 200_000_000
      // Workers of benchmarks warm up by themselves.
      $0.warmsSamples = false
      // The reference is measured twice in a round, but only if another contender is compared with it.
      $0.twice = options.references.filter { options.participants[$0.key, default: []].count > 1 }
    }
    let references = options.reference == table.implementers[0].name ? table.references : [:]
    let subjects = options.cases.keyed { work in
      (
        work.name,
        ScenarioSubject(
          text: references[work.name].map { "\(work.summary); reference: \($0)" } ?? work.summary,
          unit: work.unit, showsMemory: work.showsMemory)
      )
    }
    let analysis = AnalysisOptions(reference: options.reference) {
      $0.references = options.references.filter { $0.value != options.reference }
      $0.plannedCells = plan.cells
      $0.subjects = subjects
    }
    var recording = try Recording.measure(
      plan, in: directory, analysis: analysis,
      launcher: { contender, work throws(WorkerFailure) in
        try WorkerCommand.launcher(
          placement: table.placement(of: work, by: contender),
          options: { [BenchmarkTable.workerOption, $0] })(contender, work)
      },
      isQuiet: options.recording.isQuiet, awake: awake)
    let crowds = options.cases.compactMap { work in table.crowds[work.name].map { "\(work.name) \($0)" } }
    recording.environment.notes["threads"] =
      crowds.isEmpty ? nil : "More threads than processors: \(crowds.joined(separator: ", "))."
    let report = Reporting(recording, analysis: analysis)
    try report.conclude(
      options.recording.format, showsDetails: options.recording.showsDetails,
      nextSteps: [
        "\(CommandName.invocation) check --against HEAD~1 \(table.option) \(options.cases[0].name)"
      ])
    try recording.checkInterruption()
    for failure in report.failures { Terminal.complain(failure) }
    return report.exitCode
  }
}

struct BenchmarksOptions {
  static func options(_ command: Subcommand, _ noun: String) -> [Option] {
    [
      Option(
        "--\(noun)s", "A,B",
        "which \(noun)s, by name or glob, as `\(CommandName.current) list` shows them (all)"),
      Option("--contenders", "A,B", "contenders to measure besides the reference, by name or glob (all)"),
      Option(
        "--reference", "NAME",
        "contender that ratios are relative to, if it takes part (the first of each \(noun))"),
      ScenarioOptions.seed,
    ].titled(ScenarioOptions.measured)
      + [Option("--patience", "TIME", "how long one iteration may take (90s)")].titled(
        RecordingOptions.duration)
      + [Reporting.details].titled(RecordingOptions.output)
      + RecordingOptions.options(command)
  }

  let cases: [BenchmarkCase]
  let contenders: [String]
  /// The contenders that implement each case (an operation or benchmark), the reference first.
  let participants: [String: [String]]
  /// The contender that ratios are relative to: that of `--reference`, or else the first case's. ``references`` has those of all cases.
  let reference: String
  let recording: RecordingOptions

  init(
    _ arguments: [String], known: BenchmarkTable, _ aliases: AliasTable = AliasTable(),
    _ command: Subcommand = .runtimes
  ) throws {
    let options = try Options(arguments, known: Self.options(command, known.noun))
    let all = known.implementers.map(\.name)
    let wanted = try options.contenders(among: all, aliases)
    // The reference of each case is added below. It is no default choice, because a case with only a reference has no ratio.
    let chosen = wanted ?? Array(all.dropFirst(known.references.isEmpty ? 0 : 1))
    let texts = try options.list(known.option)
    func isImplemented(_ work: BenchmarkCase) -> Bool { chosen.contains { known.implements($0, work) } }
    let cases = try known.cases(texts).filter { texts != nil || isImplemented($0) }
    guard cases.contains(where: isImplemented) else {
      throw UsageError(
        "none of \(chosen.joined(separator: ", ")) implements \(cases.map(\.name).joined(separator: ", ")): "
          + "`\(CommandName.current) list` shows the contenders of each \(known.noun)."
      )
    }
    self.cases = cases
    let named = try options.text("--reference").map { name in
      try aliases.name(
        name, "reference", among: all.filter { one in cases.contains { known.implements(one, $0) } })
    }
    let participants = cases.keyed { work in
      let able = all.filter { known.implements($0, work) }
      let reference = able.first { $0 == named } ?? known.firsts[work.name] ?? able[0]
      return (work.name, [reference] + able.filter { $0 != reference && chosen.contains($0) })
    }
    self.participants = participants
    reference = named ?? participants[cases[0].name]?[0] ?? all[0]
    contenders = all.filter { name in participants.values.contains { $0.contains(name) } }
    recording = try RecordingOptions(options, command)
  }

  var references: [String: String] { participants.compactMapValues(\.first) }
}

/// Operations of the runtimes, or a package's own benchmarks, with the contenders that implement them.
package struct BenchmarkTable: Sendable {
  /// A contender that implements some of the cases.
  package struct Implementer: Sendable {
    package let name: String
    package let summary: String
    /// Closures that run a case's set-up and return its body, by the name of the case. Only workers call them.
    package let bodies: [String: @Sendable () throws -> BenchmarkBody]
    /// The number of processors for a case (an operation or benchmark), by name. Cases without an entry use all processors.
    package let processors: [String: Int]

    package init(
      name: String, summary: String = "", bodies: [String: @Sendable () throws -> BenchmarkBody],
      processors: [String: Int] = [:]
    ) {
      (self.name, self.summary) = (name, summary)
      (self.bodies, self.processors) = (bodies, processors)
    }
  }

  /// The word for a case in messages, such as `operation`.
  package let noun: String
  package let cases: [BenchmarkCase]
  package let onlyIfNamed: Set<String>
  /// The first of these that implements a case is the case's reference, unless ``firsts`` names another.
  package let implementers: [Implementer]
  let firsts: [String: String]
  /// The number of threads of each case with more threads than processors.
  let crowds: [String: Int]
  /// A short description of how the reference implements each case, by the name of the case.
  let references: [String: String]

  package init(
    noun: String, cases: [BenchmarkCase], onlyIfNamed: Set<String> = [], implementers: [Implementer],
    firsts: [String: String] = [:], crowds: [String: Int] = [:], references: [String: String] = [:]
  ) {
    self.noun = noun
    self.cases = cases
    self.onlyIfNamed = onlyIfNamed
    self.implementers = implementers
    self.firsts = firsts
    self.crowds = crowds
    self.references = references
  }

  init(_ contenders: [RuntimeContender]) {
    let operations = RuntimeOperation.all + RuntimeOperation.large
    self.init(
      noun: "operation",
      cases: operations.map {
        BenchmarkCase(
          name: $0.name, group: $0.family.rawValue, summary: $0.summary, unit: $0.unit, units: $0.count,
          showsMemory: $0.showsMemory, ownsProcess: false)
      },
      onlyIfNamed: Set(RuntimeOperation.large.map(\.name)),
      implementers: contenders.map { contender in
        let bodies = contender.implementations.keyed { operation, perform in
          (
            operation.name,
            { BenchmarkBody(answer: operation.answer) { try perform(operation.count) } }
              as @Sendable () throws -> BenchmarkBody
          )
        }
        return Implementer(name: contender.name, summary: contender.summary, bodies: bodies)
      },
      references: operations.keyed { ($0.name, $0.reference) })
  }

  var isEmpty: Bool { implementers.isEmpty }
  var option: String { "--\(noun)s" }
  /// The implementation's name if a benchmark gives none.
  package static let usualImplementer = "suite"
  static let workerOption = "--benchmarks-of"

  func implements(_ name: String, _ work: BenchmarkCase) -> Bool {
    implementers.first { $0.name == name }?.bodies[work.name] != nil
  }

  func placement(of work: BenchmarkCase, by name: String) throws(WorkerFailure) -> Placement {
    guard let count = implementers.first(where: { $0.name == name })?.processors[work.name] else {
      return .anywhere
    }
    let all = Placement.allowedProcessors
    let placement = Placement.processors(Array(all.suffix(max(0, count))))
    guard count > 0, count <= all.count, placement.isPermitted else {
      throw .cannotStart(
        reason:
          "the benchmark needs \(Plural.counted(count, "processor")), but taskset is missing or permits only \(all.count)"
      )
    }
    return placement
  }

  var usualCases: [BenchmarkCase] { cases.filter { !onlyIfNamed.contains($0.name) } }

  /// The cases (operations or benchmarks) that names and globs select. `nil` selects the default ones.
  func cases(_ texts: [String]?) throws -> [BenchmarkCase] {
    guard let texts else { return usualCases }
    let names = Set(try Glob.names(texts, noun, among: cases.map(\.name)))
    return cases.filter { names.contains($0.name) }
  }

  func body(of work: BenchmarkCase, by name: String) throws -> BenchmarkBody {
    guard let implementer = implementers.first(where: { $0.name == name }) else {
      throw UsageError.unknown("contender", name, among: implementers.map(\.name))
    }
    guard let make = implementer.bodies[work.name] else {
      throw UsageError("\(name) does not implement \(work.name).")
    }
    return try make()
  }
}
