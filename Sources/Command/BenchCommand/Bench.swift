import Analysis
import Exports
import Foundation
import Results
import RuntimeOperations
import UploadScenario
import UploadServices

/// The command, to be put into an executable together with whom it is to measure.
public enum Bench {
  /// Does what the process was told on its command line, and ends it with the right exit code.
  ///
  /// Call it first in the executable's `main.swift`: the command starts the same executable again, as a worker for each
  /// contender. Names must be unique.
  /// - Parameters:
  ///   - contenders: whom a run measures unless it is told otherwise; one or more. The first is what ratios are taken
  ///     against.
  ///   - variants: whom it measures on request.
  ///   - runtimes: whose operations it measures, the reference first; none: that is no subcommand then.
  ///   - explore: what `verify` adds for runtimes that can be run on one thread.
  ///   - http: what carries the uploads of the `http` service; each worker makes one. nil: `bench-http` beside this
  ///     executable is asked to.
  public static func main(
    contenders: [any Contender], variants: [any Contender] = [], runtimes: [RuntimeContender] = [],
    explore: Explore? = nil, http: (@Sendable () -> any HTTPTransport)? = nil
  ) -> Never {
    precondition(!contenders.isEmpty, "there is nobody to measure")
    StandardDescriptors.fill()
    // A worker that died is noticed by the failed write, not by a signal.
    signal(SIGPIPE, SIG_IGN)
    // So is a file that may not grow any further, `ulimit -f`; workers inherit it.
    signal(SIGXFSZ, SIG_IGN)
    let known = ContenderList(
      contenders, variants: variants, runtimes: runtimes, explore: explore, http: http)
    exit(run(Array(CommandLine.arguments.dropFirst()), among: known).rawValue)
  }

  static func run(_ arguments: [String], among known: ContenderList) -> ExitCode {
    do {
      guard let first = arguments.first, !first.hasPrefix("-") else {
        if arguments.contains("--help") || arguments.contains("-h") { return Help.print(nil, known) }
        return try RunCommand.run(arguments, among: known)
      }
      let visible = Subcommand.visible(known)
      guard let command = Subcommand(rawValue: first), visible.contains(command) || command == .worker else {
        throw UsageError.unknown("command", first, among: visible.map(\.rawValue))
      }
      let rest = Array(arguments.dropFirst())
      if rest.contains("--help") || rest.contains("-h") { return Help.print(command, known) }
      return try command.run(rest, among: known)
    } catch let error as Interrupted {
      Terminal.complain(error.description)
      return Interruption.exitCode ?? .interrupted
    } catch let error as UsageError {
      let command = arguments.first.flatMap(Subcommand.init).map { "\($0.rawValue) " } ?? ""
      let isRun = arguments.first?.hasPrefix("-") ?? false
      Terminal.complain(
        error.description, advice: "See `\(CommandName.current) \(isRun ? "run " : command)--help`.")
      return .usage
    } catch let error as ResultsError where error.isUsage {
      Terminal.complain(error.description)
      return .usage
    } catch let error as ResultsError {
      Terminal.complain(error.description)
      return .cannotReadOrWrite
    } catch let error as RecordedProblem {
      Terminal.complain(error.description)
      return .noBaseline
    } catch let error as BaselineProblem {
      Terminal.complain(error.description)
      return .noBaseline
    } catch let error as Undecidable {
      Terminal.complain(error.description)
      return .inconclusive
    } catch let error as FileProblem {
      Terminal.complain(error.description)
      return .cannotReadOrWrite
    } catch {
      Terminal.complain("\(error)")
      return .usage
    }
  }
}

extension ResultsError {
  /// Whether the caller asked for something that cannot be recorded, such as a run's name.
  fileprivate var isUsage: Bool {
    if case .refused = self { return true }
    return false
  }
}

/// What the command can do. Without a subcommand it runs.
enum Subcommand: String, CaseIterable {
  case run, load, runtimes, list, verify, report, compare, check, merge, export, doctor, completions, manual,
    worker

  /// `worker` is how a run starts its own processes.
  static func visible(_ known: ContenderList) -> [Subcommand] {
    allCases.filter { $0 != .worker && ($0 != .runtimes || !known.runtimes.isEmpty) }
  }

  var summary: String {
    switch self {
    case .run: "measure contenders and record the run (the default)"
    case .load: "let posts arrive at a rate, whatever comes of it: latency, and how much each contender holds"
    case .runtimes: "measure the runtimes' own operations, each beside its reference"
    case .list: "contenders, patterns, scenarios, services and operations"
    case .verify:
      "hold every contender against every promise, without timing it; or a store against its media"
    case .report: "what a recorded run says, again"
    case .compare: "what changed between two recorded runs"
    case .check: "whether this build costs more than another one, or than a recorded run says"
    case .merge: "one run directory from several machines or shards"
    case .export:
      "a recorded run as a file of another tool: \(ExportFormat.allCases.map(\.rawValue).alternatives)"
    case .doctor: "how noisy this machine is, what difference it can resolve, and what to do about it"
    case .completions: "what makes a shell complete all of this"
    case .manual: "all of this as a page for man"
    case .worker: "serve samples of one contender"
    }
  }

  var options: [Option] {
    switch self {
    case .run: RunOptions.options
    case .load: LoadOptions.options
    case .runtimes: RuntimesOptions.options
    case .list: ListCommand.options
    case .verify: VerifyCommand.options
    case .report: ReportCommand.options
    case .compare: CompareCommand.options
    case .check: CheckCommand.options
    case .merge: MergeCommand.options
    case .export: ExportCommand.options
    case .doctor: DoctorOptions.options
    case .completions: CompletionsCommand.options
    case .manual: ManualCommand.options
    case .worker: WorkerCommand.options
    }
  }

  /// The same as the help shows them.
  var optionGroups: [(title: String, options: [Option])] {
    self == .check ? CheckCommand.optionGroups : [("options", options)]
  }

  /// What is given without a name.
  var operands: [String] {
    switch self {
    case .report: ReportCommand.operands
    case .compare: CompareCommand.operands
    case .merge: MergeCommand.operands
    case .export: ExportCommand.operands
    case .completions: CompletionsCommand.operands
    default: []
    }
  }

  func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    switch self {
    case .run: try RunCommand.run(arguments, among: known)
    case .load: try LoadCommand.run(arguments, among: known)
    case .runtimes: try RuntimesCommand.run(arguments, among: known)
    case .list: try ListCommand.run(arguments, among: known)
    case .verify: try VerifyCommand.run(arguments, among: known)
    case .report: try ReportCommand.run(arguments)
    case .compare: try CompareCommand.run(arguments)
    case .check: try CheckCommand.run(arguments, among: known)
    case .merge: try MergeCommand.run(arguments)
    case .export: try ExportCommand.run(arguments)
    case .doctor: try DoctorCommand.run(arguments, among: known)
    case .completions: try CompletionsCommand.run(arguments, among: known)
    case .manual: try ManualCommand.run(arguments, among: known)
    case .worker: try WorkerCommand.run(arguments, among: known)
    }
  }
}
