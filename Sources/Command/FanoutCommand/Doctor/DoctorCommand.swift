import Harness
import UploadScenario
import Verdicts

/// Measures how noisy this machine is, and how small a difference a check can find on it.
enum DoctorCommand {
  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    try known.isSuite
      ? examine(DoctorOptions(arguments, CheckSubjects(benchmarks: known)), known)
      : examine(DoctorOptions(arguments, CheckSubjects(uploads: known)), known)
  }

  private static func examine<Work>(_ options: DoctorOptions<Work>, _ known: ContenderList) throws -> ExitCode
  {
    try UsageError.checkBuild(.doctor, allowsDebug: options.allowsDebugBuild)
    try Preparation.begin()
    let report = DoctorReport(try DoctorSession(options: options).readings())
    Terminal.print(try options.format.text(Report(document: report.document, json: report.json)))
    return exitCode(report)
  }

  static func exitCode(_ report: DoctorReport) -> ExitCode {
    if !report.readings.failures.isEmpty { return .contenderFailed }
    return report.resolvesUsualMargin ? .fine : .inconclusive
  }
}

struct DoctorOptions<Work: Workload> {
  static var options: [Option] {
    [
      Option(
        "--contenders", "A,B",
        "contenders to measure; variants by name or glob (the first and the last)"),
      Option(
        "--measure", "cost|wall",
        "the measure whose default margin this machine must resolve; if it cannot, the exit code is 7 (cost)"),
      Option("--budget", "TIME", "approximate duration (18s)"),
      ScenarioOptions.seed,
      ReportFormat.option(.doctor),
      Awake.option,
      Option("--quiet", nil, "no progress"),
      Option("--allow-debug-build", nil, "examine with a debug build"),
    ]
  }

  let subjects: CheckSubjects<Work>
  let contenders: [String]
  let measure: DuetMeasure
  let budgetNanoseconds: UInt64
  let seed: UInt64
  let format: ReportFormat
  let isAwake: Bool
  let isQuiet: Bool
  let allowsDebugBuild: Bool

  init(_ arguments: [String], _ subjects: CheckSubjects<Work>) throws {
    self.subjects = subjects
    let options = try Options(arguments, known: Self.options)
    measure = try options.choice("--measure") ?? .cost
    let scenarios = try Self.usualCheck(measure, subjects).scenarios
    let chosen = try subjects.named(by: options) ?? subjects.usualContenders
    let able = chosen.filter { name in scenarios.contains { subjects.takesPart(name, $0) } }
    guard let first = able.first, let last = able.last else {
      throw UsageError(
        "none of \(chosen.joined(separator: ", ")) implements what a check measures: \(scenarios.map(\.name).joined(separator: ", "))."
      )
    }
    // The known names that names and globs select, without duplicates.
    contenders = options.has("--contenders") || able.count < 3 ? able : [first, last]
    budgetNanoseconds = try options.duration("--budget") ?? 18_000_000_000
    seed = try options.seed("--seed") ?? 1
    format = try ReportFormat(options, .doctor)
    isAwake = options.has(Awake.option.name)
    isQuiet = options.has("--quiet")
    allowsDebugBuild = options.has("--allow-debug-build")
  }

  /// The options of `check` with default values, apart from what to compare: CPU or wall time.
  static func usualCheck(_ measure: DuetMeasure, _ subjects: CheckSubjects<Work>) throws -> AgainstOptions<
    Work
  > {
    let given = ["--against", CommandName.current, "--measure", measure.rawValue]
    return try AgainstOptions(Options(given, known: AgainstCheck.options(works: [])), subjects)
  }
}
