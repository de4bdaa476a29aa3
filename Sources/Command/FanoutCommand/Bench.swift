import Foundation
import Harness
import RuntimeOperations
import UploadScenario
import UploadServices

/// The command, to be put into an executable together with the contenders that it measures.
public enum Bench {
  /// Does what the process was told on its command line, and ends it with the right exit code.
  ///
  /// Call it first in the executable's `main.swift`: the command starts the same executable again, as a worker for each
  /// contender. Names must be unique.
  /// - Parameters:
  ///   - contenders: those that a run measures unless it is told otherwise; one or more. The first is what ratios are taken
  ///     against.
  ///   - variants: those that it measures on request.
  ///   - idioms: what the contenders are to their users, and who ships them.
  ///   - runtimes: whose operations it measures, the reference first; none: that is no subcommand then.
  ///   - explore: what `verify` adds for runtimes that can be run on one thread.
  ///   - aliases: what else contenders are called.
  ///   - http: what carries the uploads of the `http` service; each worker makes one. nil: `bench-http` beside this
  ///     executable is asked to.
  public static func main(
    contenders: [any Contender], variants: [any Contender] = [], idioms: [Idiom] = [],
    runtimes: [RuntimeContender] = [], explore: Explore? = nil, aliases: [ContenderAlias] = [],
    http: (@Sendable () -> any HTTPTransport)? = nil
  ) -> Never {
    precondition(!contenders.isEmpty, "there is nobody to measure")
    main {
      ContenderList(
        contenders, variants: variants, idioms: idioms, runtimes: runtimes, explore: explore,
        aliases: aliases, http: http)
    }
  }

  /// The same of a package's own benchmarks, in place of uploads.
  ///
  /// - Parameter benchmarks: makes them; what it throws ends the command with its words.
  package static func main(benchmarks: () throws -> BenchmarkTable) -> Never {
    main { ContenderList([], benchmarks: try benchmarks()) }
  }

  private static func main(among known: () throws -> ContenderList) -> Never {
    StandardDescriptors.fill()
    // A worker that died is noticed by the failed write, not by a signal.
    signal(SIGPIPE, SIG_IGN)
    // So is a file that may not grow any further, `ulimit -f`; workers inherit it.
    signal(SIGXFSZ, SIG_IGN)
    do { exit(run(Array(CommandLine.arguments.dropFirst()), among: try known()).rawValue) } catch {
      Terminal.complain("\(error)")
      exit(ExitCode.usage.rawValue)
    }
  }

  static func run(_ arguments: [String], among known: ContenderList) -> ExitCode {
    do {
      guard let first = arguments.first, !first.hasPrefix("-") else {
        if arguments.contains("--help") || arguments.contains("-h") { return Help.print(nil, known) }
        if arguments.contains("--version") { return VersionText.print() }
        return try Subcommand.usual(known).run(arguments, among: known)
      }
      let command = try Subcommand.named(first, among: known)
      let rest = Array(arguments.dropFirst())
      if rest.contains("--help") || rest.contains("-h") {
        return Help.print(command, known, isWhole: rest.contains(Help.all))
      }
      return try command.run(rest, among: known)
    } catch let error as any CommandError {
      let command = (try? Subcommand.named(arguments.first ?? "", among: known)).map { "\($0.name) " } ?? ""
      let isRun = arguments.first?.hasPrefix("-") ?? false
      Terminal.complain(
        error.description,
        advice: error is UsageError
          ? "See `\(CommandName.current) \(isRun ? "run " : command)--help`." : nil)
      return error.exitCode
    } catch {
      Terminal.complain("\(error)")
      return .usage
    }
  }
}

/// The exit codes that scripts rely on.
enum ExitCode: Int32, CaseIterable {
  case fine = 0
  case usage = 1
  case regression = 2
  case contenderFailed = 3
  case noBaseline = 5
  case cannotReadOrWrite = 6
  case inconclusive = 7
  case hungUp = 129
  case interrupted = 130
  case terminated = 143

  /// As the help has it.
  var meaning: String {
    switch self {
    case .fine: "fine: nothing failed, or costs more than it did"
    case .usage: "usage or internal error"
    case .regression: "regression: something costs more than it did"
    case .contenderFailed: "what is measured failed, hung, or broke a promise"
    case .noBaseline: "nothing to compare with"
    case .cannotReadOrWrite: "a file cannot be read or written"
    case .inconclusive: "inconclusive: not all was tried, or not enough measured to decide"
    case .hungUp: "ended by SIGHUP, a closed terminal"
    case .interrupted: "interrupted by Ctrl-C; what was measured is kept"
    case .terminated: "ended by SIGTERM; what was measured is kept"
    }
  }
}

/// Where the question meets the services: the harness knows neither.
enum Wiring {
  static func post(_ scenario: Scenario) throws -> Post {
    guard let directory = scenario.mediaDirectory else { return scenario.syntheticPost }
    return Post(id: scenario.seed, media: try media(in: directory))
  }

  static func media(in directory: String) throws -> [Media] {
    do { return try MediaDirectory.media(in: directory) } catch { throw FileProblem("\(error)") }
  }

  /// Of all their bytes, in their order.
  static func checksum(of media: [Media]) -> UInt64 {
    var checksum = Checksum()
    for media in media { withUnsafeBytes(of: media.checksum.littleEndian) { checksum.update($0) } }
    return checksum.value
  }

  /// The folder of media, of which a run has one, if they are not any more what they were when the scenarios were made.
  static func changedMedia(of scenarios: [Scenario]) -> String? {
    guard let scenario = scenarios.first(where: { $0.mediaDirectory != nil }),
      let directory = scenario.mediaDirectory
    else { return nil }
    return (try? media(in: directory)).map(checksum) == scenario.mediaChecksum ? nil : directory
  }

  /// Each contender writes into a folder of its own, so that afterwards each can be compared.
  ///
  /// - Parameter http: makes what carries real uploads; asked once, by the first scenario that uploads so.
  static func setup(
    _ contender: any Contender, named name: String, http: (@Sendable () -> any HTTPTransport)?
  ) -> UploadSetup {
    var transport: (any HTTPTransport)?
    return UploadSetup(contender, makePost: post) { scenario, post, ledgers in
      try makeServices(
        for: scenario, post: post, ledgers: ledgers, storeSubdirectory: Store.folder(of: name)
      ) { endpoint in
        guard let made = transport ?? http?() else { throw HTTPIsMissing(endpoint: endpoint) }
        transport = made
        return made
      }
    }
  }
}
