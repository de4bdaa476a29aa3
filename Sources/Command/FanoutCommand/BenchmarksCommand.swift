import Harness
import Results
import RuntimeOperations
import Verdicts

/// Measures work that has a name, each piece beside its reference if it has one: `bench runtimes`, and `run` of anybody's
/// benchmarks.
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
      // Its workers do so themselves.
      $0.warmsSamples = false
      // Without anything to compare it with, a reference needs no second sample.
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

/// Everything that such a run is told.
struct BenchmarksOptions {
  static func options(_ command: Subcommand, _ noun: String) -> [Option] {
    [
      Option(
        "--\(noun)s", "A,B",
        "which \(noun)s, by name or glob, as `\(CommandName.current) list` shows them (all)"),
      Option("--contenders", "A,B", "contenders to measure beside the reference, by name or glob (all)"),
      Option(
        "--reference", "NAME",
        "contender that ratios are taken against where it takes part (the first of each \(noun))"),
      ScenarioOptions.seed,
    ].titled(ScenarioOptions.measured)
      + [Option("--patience", "TIME", "how long one iteration may take (90s)")].titled(
        RecordingOptions.duration)
      + [Reporting.details].titled(RecordingOptions.output)
      + RecordingOptions.options(command)
  }

  let cases: [BenchmarkCase]
  /// The names of those that take part in anything.
  let contenders: [String]
  /// What takes part, by case, its reference first.
  let participants: [String: [String]]
  /// What the first case is compared with, or what `--reference` names; ``references`` has all.
  let reference: String
  let recording: RecordingOptions

  init(
    _ arguments: [String], known: BenchmarkTable, _ aliases: AliasTable = AliasTable(),
    _ command: Subcommand = .runtimes
  ) throws {
    let options = try Options(arguments, known: Self.options(command, known.noun))
    let all = known.implementers.map(\.name)
    let wanted = try options.contenders(among: all, aliases)
    // What runtimes are compared with is no news alone.
    let chosen = wanted ?? Array(all.dropFirst(known.references.isEmpty ? 0 : 1))
    let asked = try options.list(known.option)
    func isImplemented(_ work: BenchmarkCase) -> Bool { chosen.contains { known.implements($0, work) } }
    let cases = try known.cases(asked).filter { asked != nil || isImplemented($0) }
    guard cases.contains(where: isImplemented) else {
      throw UsageError(
        "\(chosen.joined(separator: ", ")) implements none of: "
          + "\(cases.map(\.name).joined(separator: ", ")). `\(CommandName.current) list` shows who implements what."
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

  /// What each case is compared with, by its name.
  var references: [String: String] { participants.compactMapValues(\.first) }
}

/// Work that has a name, and who does it: operations of the runtimes, or anybody's benchmarks.
package struct BenchmarkTable: Sendable {
  /// One who does some of the work.
  package struct Implementer: Sendable {
    package let name: String
    package let summary: String
    /// How each case is done, by its name; made in the worker, where it is set up.
    package let bodies: [String: @Sendable () throws -> BenchmarkBody]
    /// On how many processors, by the case's name; all where it is not there.
    package let processors: [String: Int]

    package init(
      name: String, summary: String = "", bodies: [String: @Sendable () throws -> BenchmarkBody],
      processors: [String: Int] = [:]
    ) {
      (self.name, self.summary) = (name, summary)
      (self.bodies, self.processors) = (bodies, processors)
    }
  }

  /// What users call a piece of it, such as `operation`.
  package let noun: String
  package let cases: [BenchmarkCase]
  /// The names of those that are measured only if they are named.
  package let onlyIfNamed: Set<String>
  /// The first of those that do a piece is what the others are compared with, unless ``firsts`` names another.
  package let implementers: [Implementer]
  let firsts: [String: String]
  /// Where there are more threads than processors, how many, by case.
  let crowds: [String: Int]
  /// What the first does, by case; for people.
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

  /// The operations of the runtimes.
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
  /// The option that names pieces of it.
  var option: String { "--\(noun)s" }
  /// Who does what nobody in particular does.
  package static let usualImplementer = "suite"
  /// What a worker is told that is to do the work.
  static let workerOption = "--benchmarks-of"

  func implements(_ name: String, _ work: BenchmarkCase) -> Bool {
    implementers.first { $0.name == name }?.bodies[work.name] != nil
  }

  /// On as many processors as an implementation of it says.
  func placement(of work: BenchmarkCase, by name: String) throws(WorkerFailure) -> Placement {
    guard let count = implementers.first(where: { $0.name == name })?.processors[work.name] else {
      return .anywhere
    }
    let all = Placement.allowedProcessors
    let placement = Placement.processors(Array(all.suffix(max(0, count))))
    guard count > 0, count <= all.count, placement.isPermitted else {
      throw .cannotStart(
        reason: "it is to have \(Plural.counted(count, "processor")), of \(all.count) that taskset can choose"
      )
    }
    return placement
  }

  /// Those that are measured unless others are named.
  var usualCases: [BenchmarkCase] { cases.filter { !onlyIfNamed.contains($0.name) } }

  /// Those that globs stand for; nil: those that are measured unless others are named.
  func cases(_ texts: [String]?) throws -> [BenchmarkCase] {
    guard let texts else { return usualCases }
    let names = Set(try Glob.names(texts, noun, among: cases.map(\.name)))
    return cases.filter { names.contains($0.name) }
  }

  /// How a case is done by an implementer; an error that says which there are.
  func body(of work: BenchmarkCase, by name: String) throws -> BenchmarkBody {
    guard let implementer = implementers.first(where: { $0.name == name }) else {
      throw UsageError.unknown("contender", name, among: implementers.map(\.name))
    }
    guard let make = implementer.bodies[work.name] else {
      throw UsageError("\(name) does not perform \(work.name).")
    }
    return try make()
  }
}
