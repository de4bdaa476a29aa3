import ContenderRegistry
import Foundation
import Results

/// The command: finds the subcommand, and turns every error into one message and the right exit code.
@main
enum Bench {
  static func main() {
    // A worker that died is noticed by the failed write, not by a signal.
    signal(SIGPIPE, SIG_IGN)
    exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  static func run(
    _ arguments: [String], among known: ContenderList = ContenderList(contenders, variants: variants)
  ) -> ExitCode {
    do {
      guard let first = arguments.first, !first.hasPrefix("-") else {
        if arguments.contains("--help") || arguments.contains("-h") { return Help.print(nil) }
        return try RunCommand.run(arguments, among: known)
      }
      guard let command = Subcommand(rawValue: first) else {
        throw UsageError.unknown("command", first, among: Subcommand.visible.map(\.rawValue))
      }
      let rest = Array(arguments.dropFirst())
      if rest.contains("--help") || rest.contains("-h") { return Help.print(command) }
      return try command.run(rest, among: known)
    } catch let error as UsageError {
      Terminal.complain("\(error.description)\nSee `bench --help`.")
      return .usage
    } catch let error as ResultsError where error.isUsage {
      Terminal.complain(error.description)
      return .usage
    } catch let error as ResultsError {
      Terminal.complain(error.description)
      return .cannotReadOrWrite
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

/// What `bench` can do. Without a subcommand it runs.
enum Subcommand: String, CaseIterable {
  case run, runtimes, list, verify, worker

  /// `worker` is how a run starts its own processes.
  static let visible = allCases.filter { $0 != .worker }

  var summary: String {
    switch self {
    case .run: "measure contenders and record the run (the default)"
    case .runtimes: "measure the runtimes' own operations, each beside its reference"
    case .list: "contenders, patterns, scenarios, services and operations"
    case .verify:
      "hold every contender against every promise, without timing it; or a store against its media"
    case .worker: "serve samples of one contender"
    }
  }

  var options: [Option] {
    switch self {
    case .run: RunOptions.options
    case .runtimes: RuntimesOptions.options
    case .list: ListCommand.options
    case .verify: VerifyCommand.options
    case .worker: WorkerCommand.options
    }
  }

  func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    switch self {
    case .run: try RunCommand.run(arguments, among: known)
    case .runtimes: try RuntimesCommand.run(arguments)
    case .list: try ListCommand.run(arguments, among: known)
    case .verify: try VerifyCommand.run(arguments, among: known)
    case .worker: try WorkerCommand.run(arguments, among: known)
    }
  }
}
