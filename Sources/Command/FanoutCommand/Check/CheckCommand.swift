import Foundation
import Harness
import Results
import UploadScenario
import Verdicts

/// Checks whether this build costs more than another build, a recorded run, or committed counts of allocations and retains.
struct CheckCommand {
  private struct Question {
    let what: String
    /// The options of this kind of check. Its first option selects it, such as `--against`.
    let options: [Option]
    let answer: (Options, ContenderList, CheckOutput) throws -> CheckReport

    var option: Option { options[0] }
  }

  private let questions: [Question]

  private static let operations = Option(
    "--operations", "A,B", "operations of the runtimes, by name or glob, in place of scenarios")

  static var ofUploads: CheckCommand {
    CheckCommand(questions: [
      Question(
        what: "another build", options: AgainstCheck.options(works: [AgainstCheck.scenarios, operations]),
        answer: ask(AgainstCheck.self)),
      Question(what: "a recorded run", options: BaselineOptions.options, answer: BaselineCheck.report),
      Question(
        what: "committed counts", options: CountersFile.options(works: [CountersFile.scenarios, operations]),
        answer: ask(CountersCheck.self)),
    ])
  }

  static var ofBenchmarks: CheckCommand {
    let named = Option("--benchmarks", "A,B", "which benchmarks, by name or glob (all)")
    return CheckCommand(questions: [
      Question(
        what: "another build", options: AgainstCheck.options(works: [named]), answer: ask(AgainstCheck.self)),
      Question(
        what: "committed counts", options: CountersFile.options(works: [named]),
        answer: ask(CountersCheck.self)),
    ])
  }

  private static func ask(_ check: any SubjectCheck.Type) -> (Options, ContenderList, CheckOutput) throws ->
    CheckReport
  {
    { options, known, output in
      if options.has(operations.name), options.has("--scenario") {
        throw UsageError("--scenario and --operations select different checks: give one of them.")
      }
      guard known.isSuite || options.has(operations.name) else {
        return try check.report(options, CheckSubjects(uploads: known), output)
      }
      return try check.report(options, CheckSubjects(benchmarks: known), output)
    }
  }

  /// Lets a suite of benchmarks accept `--scenario`, because its reports and the GitHub action call a benchmark a scenario.
  private static func benchmarks(_ argument: String) -> String {
    argument == "--scenario" || argument.hasPrefix("--scenario=")
      ? "--benchmarks" + argument.dropFirst("--scenario".count) : argument
  }

  var options: [Option] {
    let all = questions.map(\.option) + questions.flatMap(\.options) + CheckOutput.options
    return all.map(\.name).unique().compactMap { name in all.first { $0.name == name } }
  }

  /// The options of each check, then the options that all checks share.
  var optionGroups: [(title: String, options: [Option])] {
    questions.map { ("against \($0.what)", $0.options) }
      + [("each of them", CheckOutput.options)]
  }

  func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let meant = known.isSuite ? arguments.map(Self.benchmarks) : arguments
    let options = try Options(CountersFile.completed(meant), known: self.options)
    let output = try CheckOutput(options)
    let given = questions.filter { options.has($0.option.name) }
    guard let question = given.first else {
      let ways = questions.map(\.option.usage).joined(separator: ", or ")
      throw UsageError("check needs something to check against: \(ways).")
    }
    if given.count > 1 {
      throw UsageError(
        "\(given[0].option.name) and \(given[1].option.name) select different checks: give one of them.")
    }
    let understood = (question.options + CheckOutput.options).map(\.name)
    let foreign = self.options.map(\.name).filter { !understood.contains($0) }
    if let name = options.firstGiven(foreign) {
      throw UsageError("\(name) does not apply to a check with \(question.option.name).")
    }
    try output.refuseUnwritableReport()
    try Preparation.begin()
    var report = try question.answer(options, known, output)
    report.idioms.merge(known.idiomRecords(of: known.all) ?? [:]) { recorded, _ in recorded }
    Terminal.print(try output.text(report))
    try output.keep(report)
    return output.exitCode(report)
  }
}

protocol SubjectCheck {
  static func report<Work: Workload>(
    _ options: Options, _ subjects: CheckSubjects<Work>, _ output: CheckOutput
  ) throws -> CheckReport
}

struct CheckOutput {
  static let options = [
    Option(
      "--inconclusive", "fail|pass",
      "whether an undecided comparison fails the check (fail); a check that compared nothing always fails"),
    Option("--fail-on-improvement", nil, "also exit with 2 if something costs less"),
    ReportFormat.option(.check),
    Option("--report", "FILE", "also write the report to this new file, as Markdown"),
    Option("--quiet", nil, "no progress"),
  ]

  let format: ReportFormat
  let reportPath: String?
  let inconclusiveFails: Bool
  let improvementFails: Bool
  let isQuiet: Bool

  init(_ options: Options) throws {
    format = try ReportFormat(options, .check)
    reportPath = options.text("--report")
    inconclusiveFails = try options.choice("--inconclusive", among: ["fail", "pass"]) != "pass"
    improvementFails = options.has("--fail-on-improvement")
    isQuiet = options.has("--quiet")
  }

  func progress(_ text: String) { Terminal.progress(text, isQuiet: isQuiet) }

  /// Creates and removes the report's file, so that an unwritable path is an error before the measurement.
  func refuseUnwritableReport() throws {
    guard let path = reportPath else { return }
    try write("", to: path)
    unlink(path)
  }

  func keep(_ report: CheckReport) throws {
    if let path = reportPath { try write(report.document.markdown, to: path) }
  }

  private func write(_ text: String, to path: String) throws {
    do throws(ResultsError) { try TextFile.create(path, text) } catch { throw error.naming("--report") }
  }

  func text(_ report: CheckReport) throws -> String {
    try format.text(
      Report(document: report.document, json: report.json, annotations: { report.annotations }))
  }

  func exitCode(_ report: CheckReport) -> ExitCode {
    switch report.verdict {
    case .failed: .contenderFailed
    case .regressed: .regression
    case .inconclusive: inconclusiveFails || report.saysNothing ? .inconclusive : .fine
    case .passed: improvementFails && !report.rows(.improved).isEmpty ? .regression : .fine
    }
  }
}

/// What a check can measure: contenders, and pieces of work, which are scenarios, operations or benchmarks.
struct CheckSubjects<Work: Workload> {
  let contenders: [String]
  let usualContenders: [String]
  let aliases: AliasTable
  /// What messages call a piece of work, such as `scenario`.
  let noun: String
  let option: String
  let workerOption: String
  let takesPart: (_ contender: String, Work) -> Bool
  /// Returns the work that the given names and globs select. `nil` selects the default work.
  let works: ([String]?, _ seed: UInt64) throws -> [Work]
  /// All scenarios, operations or benchmarks whose allocations can be counted.
  let countable: [Work]
  let usuallyCounted: [Work]
  /// The default path of the file of committed allocation and retain counts.
  let usualCounts: String
  /// What the user adds to `check --counters` for this kind of work, such as `--operations '*'`. May be empty.
  let arguments: String
  let notLookedAt: (_ named: Bool, DuetMeasure) -> [String]
  let known: (OtherBuild) -> (contenders: Set<String>, works: Set<String>)

  func named(by options: Options) throws -> [String]? { try options.contenders(among: contenders, aliases) }

  func update(_ path: String) -> String {
    "`\(CommandName.current) check --counters\(path == usualCounts ? "" : " \(path)")\(arguments) --update`"
  }

  func cells(of contenders: [String], in works: [Work]) -> [CellKey] {
    works.flatMap { work in
      contenders.filter { takesPart($0, work) }.map { CellKey(contender: $0, scenario: work.name) }
    }
  }
}

extension CheckSubjects<Scenario> {
  /// The default scenarios: uploads that need little memory, and uploads that need more.
  static let usualScenarios = ["publish-instant-100", "publish-instant-1000"]

  init(uploads known: ContenderList) {
    contenders = known.all.map(\.name)
    usualContenders = known.contenders.map(\.name)
    aliases = known.aliases
    (noun, option, workerOption) = ("scenario", "--scenario", "--contender")
    takesPart = { name, scenario in known.all.first { $0.name == name }?.writes(scenario) ?? false }
    works = { try ScenarioOptions.named($0 ?? Self.usualScenarios, seed: $1) }
    countable =
      Catalog.counting
      + Catalog.standard.filter { scenario in !Catalog.counting.contains { $0.name == scenario.name } }
    usuallyCounted = Catalog.counting
    (usualCounts, arguments) = (CountersFile.usualPath, "")
    notLookedAt = { isNamed, measure in
      (isNamed
        ? []
        : [
          "10 000 uploads (`--scenario publish-instant-10000`)",
          "other patterns (`--scenario race-instant-100`, and so on)",
        ])
        + DuetMeasure.notLookedAt(by: measure)
    }
    self.known = { ($0.contenders, $0.scenarios) }
  }
}

extension CheckSubjects<BenchmarkCase> {
  /// A check of the runtimes' operations or of a package's own benchmarks.
  init(benchmarks known: ContenderList) {
    let table = known.benchmarks
    contenders = table.implementers.map(\.name)
    usualContenders = contenders
    aliases = known.aliases
    (noun, option, workerOption) = (table.noun, table.option, BenchmarkTable.workerOption)
    takesPart = table.implements
    works = { texts, _ in try table.cases(texts) }
    countable = table.cases
    usuallyCounted = table.usualCases
    (usualCounts, arguments) =
      known.isSuite
      ? (CountersFile.usualPath, "") : ("results/baseline/operations.csv", " \(table.option) '*'")
    notLookedAt = { DuetMeasure.notLookedAt(by: $1) + ["memory (`--counters` checks allocations)"] }
    let isSuite = known.isSuite
    self.known = { isSuite ? ($0.contenders, $0.scenarios) : ($0.runtimes, $0.operations) }
  }
}

extension DuetMeasure {
  fileprivate static func notLookedAt(by measure: DuetMeasure) -> [String] {
    measure == .wall ? [] : ["time on the clock, with all processors (`--measure wall`)"]
  }
}
