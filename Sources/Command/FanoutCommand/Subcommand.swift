import Exports
import Foundation
import UploadScenario

/// What the command can do. Without a subcommand it runs.
enum Subcommand: String, CaseIterable {
  case run, load, runtimes, trace, list, verify, report, compare, check, merge, export, doctor, completions,
    help, worker, runBenchmarks, checkBenchmarks

  /// Commands of earlier versions, and what to use in their place.
  private static let gone = [
    "explain": "`report RUN --details` has the counts of each cell, and `trace` shows where a post waits",
    "manual": "`help COMMAND` has the same text",
  ]

  /// What the user types.
  var name: String { ofUploads.rawValue }

  /// What is called so where there are contenders that upload.
  private var ofUploads: Subcommand {
    switch self {
    case .runBenchmarks: .run
    case .checkBenchmarks: .check
    default: self
    }
  }

  /// Those of the package that uploads; `worker` is how a run starts its own processes.
  static let shown = allCases.filter { $0 != .worker && $0.ofUploads == $0 }

  /// Those that know nothing of uploads, and those that take their place.
  private static let ofSuites: [Subcommand] = [
    .runBenchmarks, .list, .report, .compare, .checkBenchmarks, .merge, .export, .doctor, .completions,
    .help,
  ]

  static func visible(_ known: ContenderList) -> [Subcommand] {
    known.isSuite ? ofSuites : shown.filter { $0 != .runtimes || !known.benchmarks.isEmpty }
  }

  /// What is meant where none is named.
  static func usual(_ known: ContenderList) -> Subcommand { known.isSuite ? .runBenchmarks : .run }

  /// The one that is called so; an error that names the nearest if there is none.
  static func named(_ name: String, among known: ContenderList) throws -> Subcommand {
    if name == Subcommand.worker.name { return .worker }
    guard let command = visible(known).first(where: { $0.name == name }) else {
      if let instead = gone[name] { throw UsageError("`\(name)` was removed: \(instead).") }
      throw UsageError.unknown("command", name, among: visible(known).map(\.name))
    }
    return command
  }

  /// What a subcommand says of itself, takes and does.
  private struct Descriptor {
    let summary: String
    let options: [Option]
    let operands: [String]
    let run: ([String], ContenderList) throws -> ExitCode

    init(
      _ summary: String, _ options: [Option], operands: [String] = [],
      _ run: @escaping ([String], ContenderList) throws -> ExitCode
    ) {
      (self.summary, self.options, self.operands, self.run) = (summary, options, operands, run)
    }
  }

  private var descriptor: Descriptor {
    switch self {
    case .run:
      .init("measure contenders and record the run (the default)", RunOptions.options, RunCommand.run)
    case .load:
      .init(
        "let posts arrive at a fixed rate: latency, and the highest rate that each contender sustains",
        LoadOptions.options, LoadCommand.run)
    case .runtimes:
      .init(
        "measure the runtimes' own operations, each beside its reference",
        BenchmarksOptions.options(.runtimes, "operation")
      ) { try BenchmarksCommand.run($0, among: $1, .runtimes) }
    case .runBenchmarks:
      .init(
        "measure the benchmarks and record the run (the default)",
        BenchmarksOptions.options(.runBenchmarks, "benchmark")
      ) { try BenchmarksCommand.run($0, among: $1, .runBenchmarks) }
    case .trace:
      .init(
        "one post of each contender as a timeline: threads, hand-overs, what it waits for",
        TraceOptions.options,
        TraceCommand.run)
    case .list:
      .init("whom and what there is to measure", ListCommand.options, ListCommand.run)
    case .verify:
      .init(
        "check every contender against every requirement, without timing it; or a store against its media files",
        VerifyCommand.options, VerifyCommand.run)
    case .report:
      .init(
        "print a recorded run's report", ReportCommand.options, operands: ReportCommand.operands,
        ReportCommand.run)
    case .compare:
      .init(
        "what changed between two recorded runs", CompareCommand.options, operands: CompareCommand.operands,
        CompareCommand.run)
    case .check:
      .init(
        "whether this build costs more than another one, or than a recorded run says",
        CheckCommand.ofUploads.options, CheckCommand.ofUploads.run)
    case .checkBenchmarks:
      .init(
        "whether this build costs more than another one, or counts more than is committed",
        CheckCommand.ofBenchmarks.options, CheckCommand.ofBenchmarks.run)
    case .merge:
      .init(
        "one run directory from several machines or shards", MergeCommand.options,
        operands: MergeCommand.operands, MergeCommand.run)
    case .export:
      .init(
        "a recorded run as a file of another tool: \(ExportFormat.allCases.map(\.rawValue).alternatives)",
        ExportCommand.options, operands: ExportCommand.operands, ExportCommand.run)
    case .doctor:
      .init(
        "how noisy this machine is, what difference it can resolve, and what to do about it",
        DoctorOptions<Scenario>.options, DoctorCommand.run)
    case .completions:
      .init(
        "a script that completes all of this in a shell", [], operands: CompletionsCommand.operands,
        CompletionsCommand.run)
    case .help:
      .init("what a command can be told", [], operands: [HelpCommand.operand], HelpCommand.run)
    case .worker: .init("serve samples of one contender", WorkerCommand.options, WorkerCommand.run)
    }
  }

  var summary: String { descriptor.summary }
  var options: [Option] { descriptor.options }
  /// Options that the first page of the help leaves out.
  var seldom: Set<String> { self == .run ? RunOptions.seldom : [] }
  /// What is given without a name.
  var operands: [String] { descriptor.operands }

  /// The options as the help shows them.
  var optionGroups: [(title: String, options: [Option])] {
    if self == .check { return CheckCommand.ofUploads.optionGroups }
    if self == .checkBenchmarks { return CheckCommand.ofBenchmarks.optionGroups }
    let options = options
    return options.map(\.group).unique().map { group in (group, options.filter { $0.group == group }) }
  }

  func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    try descriptor.run(arguments, known)
  }
}

/// What the user calls the command: the name of its executable.
enum CommandName {
  static let current = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent

  /// How to start it once more: from a package by building it, from anywhere else as it was started.
  static var invocation: String {
    invocation(
      from: CommandLine.arguments[0],
      isInPackage: FileManager.default.fileExists(atPath: "Package.swift"))
  }

  static func invocation(from executable: String, isInPackage: Bool) -> String {
    isInPackage
      ? "swift run -c release \(URL(fileURLWithPath: executable).lastPathComponent)" : executable
  }
}
