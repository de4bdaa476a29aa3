import Foundation
import Harness
import RawThreads
import Results
import Statistics
import Verdicts

struct Recording {
  let directory: RunDirectory
  var environment: EnvironmentRecord
  let samples: [Sample]

  /// Measures a plan and shows the progress. At the end, releases `awake`, the request that keeps processors from sleeping.
  static func measure<Work: Workload>(
    _ plan: RunPlan<Work>, in directory: RunDirectory, analysis: AnalysisOptions,
    launcher: @escaping WorkerLauncher<SampleRequest<Work>>, isQuiet: Bool, awake: LatencyRequest? = nil,
    idioms: [String: IdiomRecord]? = nil,
    isInterrupted: @escaping () -> Bool = { Interruption.isRequested },
    commandLine: [String] = CommandLine.arguments
  ) throws -> Recording {
    var environment = Environment.record(
      plan: plan, reference: analysis.reference, commandLine: commandLine, startedAt: Date())
    // If the harness reads the clock in every iteration, the cost of reading it matters and is recorded.
    if Work.timesEachIteration { environment.harnessOverheadNanoseconds = HarnessOverhead.nanoseconds() }
    environment.latencyRequestMicroseconds = awake.map { _ in LatencyRequest.microseconds }
    environment.notes["build_age"] = BuildAge.remark
    environment.notes["source_lines"] = SourceLines.rule
    // Only uploads have simulated services. Records whether their threads can get the batch scheduling class.
    if Work.contract != nil { environment.notes["service_class"] = ServiceClass.attempt() }
    environment.idioms = idioms

    let conditions = RunConditions()
    conditions.record(into: &environment)
    // The file is created with the first sample, so that a run without samples leaves no folder.
    var writer: CSVWriter<Sample>?
    defer { if writer == nil { directory.abandon() } }
    let bar = ProgressBar()
    var forecast = ForecastRemark(budgetNanoseconds: plan.budgetNanoseconds, generations: plan.generations)
    var samples: [Sample] = []
    let runner = Runner(
      plan: plan, launcher: launcher, isInterrupted: isInterrupted,
      beforeGeneration: { generation in
        if let handOver = HandOverRecord(HandOver.nanoseconds(), before: generation) {
          environment.handOvers = (environment.handOvers ?? []) + [handOver]
        }
      },
      settled: {
        RunAnalysis.settled(samples, options: analysis, generations: min(3, plan.generations))
      },
      progress: { progress in
        if let text = progress.forecast.flatMap({ forecast.text($0) }) {
          if !isQuiet { bar.clear() }
          Terminal.remark(text)
        }
        if !isQuiet { bar.show(progress) }
      },
      record: { sample in
        let file = try writer ?? directory.begin(environment)
        writer = file
        do { try file.append(sample) } catch {
          throw FileProblem(error, keeping: samples.count, "sample", in: directory.path)
        }
        samples.append(sample)
      })
    defer { awake?.end() }
    Terminal.progress(plan.dropRule.description, isQuiet: isQuiet)
    _ = try runner.run()
    conditions.end(into: &environment)
    if !isQuiet { bar.clear() }
    if samples.isEmpty, isInterrupted() { throw Interrupted("nothing was measured, so no run was recorded") }
    // A shard without scenarios has no samples, but its folder must exist.
    writer = try writer ?? directory.begin(environment)
    try writer?.close()
    return Recording(directory: directory, environment: environment, samples: samples)
  }

  var remains: String { "\(samples.count) samples are kept in \(directory.path)" }

  func checkInterruption() throws { if Interruption.isRequested { throw Interrupted(remains) } }
}

/// Warns that a run takes longer than its budget, and again whenever the forecast has grown by a quarter.
struct ForecastRemark {
  private let budgetNanoseconds: UInt64
  private let generations: Int
  private var saidNanoseconds: Double

  init(budgetNanoseconds: UInt64, generations: Int) {
    (self.budgetNanoseconds, self.generations) = (budgetNanoseconds, generations)
    saidNanoseconds = Double(budgetNanoseconds)
  }

  mutating func text(_ forecast: RunProgress.Forecast) -> String? {
    guard forecast.nanoseconds > 1.25 * saidNanoseconds else { return nil }
    saidNanoseconds = forecast.nanoseconds
    let post = forecast.longestPost
    let (whole, budget) = (NumberText.time(forecast.nanoseconds), NumberText.time(Double(budgetNanoseconds)))
    let one = NumberText.time(forecast.generationNanoseconds)
    let several = Plural.counted(generations, "generation")
    let cure =
      generations > 1
      ? "--generations 1 takes about \(one)" : "fewer contenders, scenarios or uploads take less"
    return
      "this run takes about \(whole), not \(budget): warm-up, counts and a round of \(several) need that on this machine. The longest post takes \(NumberText.time(forecast.longestPostNanoseconds)) (\(post.contender) in \(post.scenario)). Ctrl-C ends the run and keeps what was measured; \(cure)."
  }
}

extension FileProblem {
  /// The error for a sample that cannot be written. The earlier samples are kept.
  init(_ error: any Error, keeping count: Int, _ noun: String, in folder: String) {
    let verb = count == 1 ? "is" : "are"
    self.init(
      "\(error)" + (count == 0 ? "" : " \(Plural.counted(count, noun)) so far \(verb) kept in \(folder)."))
  }
}

extension RunDirectory {
  /// Part of the error if the report cannot be printed.
  var remains: String { "What was measured is kept in \(path)." }
}

extension RunPlan {
  init(
    directory: RunDirectory, contenders: [String], scenarios: [Work], options: RecordingOptions,
    reference: String, participants: [String: [String]] = [:],
    configure: (inout RunPlan) -> Void = { _ in }
  ) {
    self.init(run: directory.name, contenders: contenders, scenarios: scenarios) { plan in
      plan.generations = options.generations
      plan.budgetNanoseconds = options.budgetNanoseconds
      plan.rounds = options.rounds
      plan.seed = options.seed
      plan.machine = options.machine
      plan.participants = participants
      plan.twice = scenarios.keyed { ($0.name, reference) }
      plan.timeoutNanoseconds = options.timeoutNanoseconds
      if !options.isBudgetGiven { plan.leastRounds = Looks.counts[0] }
      configure(&plan)
    }
  }
}

/// The options that measuring commands share: how long to measure, where to record, and how to print.
struct RecordingOptions {
  static func options(_ command: Subcommand) -> [Option] {
    [
      Option("--budget", "TIME", "about how long to measure (60s)"),
      Option(
        "--samples", "N",
        "exactly N samples of each contender in each scenario and generation, whatever the budget"),
      Option("--generations", "N", "sets of new worker processes (6)"),
      Awake.option,
    ].titled(duration)
      + [
        Option("--output", "DIR", "where run directories go (results)"),
        Option("--name", "RUN", "the run's name (the time of its start)"),
        Option("--machine", "NAME", "this machine's name in merged runs (generated from its hardware)"),
        Option("--quiet", nil, "no progress"),
        ReportFormat.option(command),
        Option("--allow-debug-build", nil, "measure with a debug build; every output says so"),
      ].titled(output)
  }

  static let duration = "for how long"
  static let output = "what is recorded and shown"

  let budgetNanoseconds: UInt64
  /// A budget that the user set is kept even if it is too short for verdicts.
  let isBudgetGiven: Bool
  let rounds: Int?
  let generations: Int
  let seed: UInt64
  let output: String
  let name: String?
  let machine: String?
  let isAwake: Bool
  let isQuiet: Bool
  let allowsDebugBuild: Bool
  let command: Subcommand
  let format: ReportFormat
  let showsDetails: Bool
  /// The maximum duration of a post or an iteration. `nil` means a limit that no working contender reaches.
  let timeoutNanoseconds: UInt64?

  init(
    _ options: Options, _ command: Subcommand, budgetNanoseconds: UInt64 = 60_000_000_000,
    generations: Int = 6
  ) throws {
    let budget = try options.duration("--budget")
    self.budgetNanoseconds = budget ?? budgetNanoseconds
    isBudgetGiven = budget != nil
    rounds = try options.integer("--samples", in: 1...100_000)
    self.generations = try options.integer("--generations", in: 1...100) ?? generations
    seed = try options.seed("--seed") ?? 1
    output = options.text("--output") ?? "results"
    name = options.text("--name")
    machine = try options.recordName("--machine")
    isAwake = options.has(Awake.option.name)
    isQuiet = options.has("--quiet")
    allowsDebugBuild = options.has("--allow-debug-build")
    self.command = command
    format = try ReportFormat(options, command)
    showsDetails = options.has(Reporting.details.name)
    timeoutNanoseconds = try options.duration("--patience")
  }

  /// Refuses a debug build, unless it is allowed. Warns if the build is older than its sources.
  func checkBuild() throws {
    try UsageError.checkBuild(command, allowsDebug: allowsDebugBuild)
    if let remark = BuildAge.remark { Terminal.complain(remark) }
  }
}
