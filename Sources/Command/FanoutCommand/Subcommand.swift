import Exports
import Foundation
import UploadScenario

/// The subcommands. `run` is the default.
enum Subcommand: String, CaseIterable {
  case run, load, runtimes, trace, list, verify, report, compare, check, merge, export, doctor, completions,
    help, worker, runBenchmarks, checkBenchmarks

  private static let gone = [
    "explain": "`report RUN --details` has the counts of each cell, and `trace` shows where a post waits",
    "manual": "`help COMMAND` has the same text",
  ]

  /// The word that the user types. A package's own benchmarks use the same words.
  var name: String { ofUploads.rawValue }

  private var ofUploads: Subcommand {
    switch self {
    case .runBenchmarks: .run
    case .checkBenchmarks: .check
    default: self
    }
  }

  /// The subcommands of a package with contenders, without `worker`, which is internal.
  static let shown = allCases.filter { $0 != .worker && $0.ofUploads == $0 }

  private static let ofSuites: [Subcommand] = [
    .runBenchmarks, .list, .report, .compare, .checkBenchmarks, .merge, .export, .doctor, .completions,
    .help,
  ]

  static func visible(_ known: ContenderList) -> [Subcommand] {
    known.isSuite ? ofSuites : shown.filter { $0 != .runtimes || !known.benchmarks.isEmpty }
  }

  static func usual(_ known: ContenderList) -> Subcommand { known.isSuite ? .runBenchmarks : .run }

  /// Throws a usage error that suggests a similar name if there is no such subcommand.
  static func named(_ name: String, among known: ContenderList) throws -> Subcommand {
    if name == Subcommand.worker.name { return .worker }
    guard let command = visible(known).first(where: { $0.name == name }) else {
      if let instead = gone[name] { throw UsageError("`\(name)` was removed: \(instead).") }
      throw UsageError.unknown("command", name, among: visible(known).map(\.name))
    }
    return command
  }

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
        "measure the runtimes' own operations, each compared with its reference",
        BenchmarksOptions.options(.runtimes, "operation")
      ) { try BenchmarksCommand.run($0, among: $1, .runtimes) }
    case .runBenchmarks:
      .init(
        "measure the benchmarks and record the run (the default)",
        BenchmarksOptions.options(.runBenchmarks, "benchmark")
      ) { try BenchmarksCommand.run($0, among: $1, .runBenchmarks) }
    case .trace:
      .init(
        "record one post of each contender as a timeline: threads, hand-overs, waits",
        TraceOptions.options,
        TraceCommand.run)
    case .list:
      .init("list everything that can be measured", ListCommand.options, ListCommand.run)
    case .verify:
      .init(
        "check every contender against every requirement, untimed; or a store against its media files",
        VerifyCommand.options, VerifyCommand.run)
    case .report:
      .init(
        "print a recorded run's report", ReportCommand.options, operands: ReportCommand.operands,
        ReportCommand.run)
    case .compare:
      .init(
        "show what changed between two recorded runs", CompareCommand.options,
        operands: CompareCommand.operands, CompareCommand.run)
    case .check:
      .init(
        "find out whether this build costs more than another one, or than a recorded run",
        CheckCommand.ofUploads.options, CheckCommand.ofUploads.run)
    case .checkBenchmarks:
      .init(
        "find out whether this build costs more than another one, or exceeds committed counts",
        CheckCommand.ofBenchmarks.options, CheckCommand.ofBenchmarks.run)
    case .merge:
      .init(
        "make one run directory from those of several machines or shards", MergeCommand.options,
        operands: MergeCommand.operands, MergeCommand.run)
    case .export:
      .init(
        "write a recorded run as a file of another tool: \(ExportFormat.allCases.map(\.rawValue).alternatives)",
        ExportCommand.options, operands: ExportCommand.operands, ExportCommand.run)
    case .doctor:
      .init(
        "show how noisy this machine is, what difference it can resolve, and what would help",
        DoctorOptions<Scenario>.options, DoctorCommand.run)
    case .completions:
      .init(
        "print a script that completes commands in a shell", [], operands: CompletionsCommand.operands,
        CompletionsCommand.run)
    case .help:
      .init("print a command's options", [], operands: [HelpCommand.operand], HelpCommand.run)
    case .worker: .init("serve samples of one contender", WorkerCommand.options, WorkerCommand.run)
    }
  }

  var summary: String { descriptor.summary }
  var options: [Option] { descriptor.options }
  var seldom: Set<String> { self == .run ? RunOptions.seldom : [] }
  var operands: [String] { descriptor.operands }

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

enum CommandName {
  static let current = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent

  /// What the user types to start this command: in its package `swift run`, elsewhere the executable's path.
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
