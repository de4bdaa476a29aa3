import Foundation
import Harness
import RuntimeOperations
import UploadScenario
import UploadServices

/// The entry point of an executable that measures its own contenders.
public enum Bench {
  /// Runs the command that the process's arguments specify. Then ends the process with the command's exit code.
  ///
  /// Call this function first in the executable's `main.swift`. The command starts the same executable again as a worker for each
  /// contender. Names must be unique.
  /// - Parameters:
  ///   - contenders: at least one contender; a run measures all of them by default. Ratios are relative to the first.
  ///   - variants: contenders that a run measures only if `--contenders` names them.
  ///   - idioms: the name and origin of the programming idiom that each contender uses.
  ///   - runtimes: the runtimes whose operations the subcommand `runtimes` measures, the reference first. If empty, there is no `runtimes`.
  ///   - explore: tries interleavings of contenders for `verify`. `nil` means that `verify` tries none.
  ///   - aliases: alternative names of contenders.
  ///   - http: creates the HTTP client of each worker. `nil`: runs that need one start `bench-http` in the same folder instead.
  public static func main(
    contenders: [any Contender], variants: [any Contender] = [], idioms: [Idiom] = [],
    runtimes: [RuntimeContender] = [], explore: Explore? = nil, aliases: [ContenderAlias] = [],
    http: (@Sendable () -> any HTTPTransport)? = nil
  ) -> Never {
    precondition(!contenders.isEmpty, "Bench.main needs one contender or more")
    main {
      ContenderList(
        contenders, variants: variants, idioms: idioms, runtimes: runtimes, explore: explore,
        aliases: aliases, http: http)
    }
  }

  /// Runs the command for a package's own benchmarks. If `benchmarks` throws, the command ends with the error's description.
  package static func main(benchmarks: () throws -> BenchmarkTable) -> Never {
    main { ContenderList([], benchmarks: try benchmarks()) }
  }

  private static func main(among known: () throws -> ContenderList) -> Never {
    StandardDescriptors.fill()
    // With both signals ignored, a write to a dead worker or beyond `ulimit -f` returns an error. Workers inherit this.
    signal(SIGPIPE, SIG_IGN)
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

/// The exit codes of the command. Scripts rely on these numbers.
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

  var meaning: String {
    switch self {
    case .fine: "success: nothing failed, and nothing costs more than before"
    case .usage: "usage or internal error"
    case .regression: "regression: something costs more than before"
    case .contenderFailed: "a contender or benchmark failed, hung, or broke a requirement"
    case .noBaseline: "nothing to compare with"
    case .cannotReadOrWrite: "a file cannot be read or written"
    case .inconclusive: "inconclusive: not everything was tried, or too little was measured for a decision"
    case .hungUp: "ended by SIGHUP, such as when the terminal closes"
    case .interrupted: "interrupted by Ctrl-C; what was measured is kept"
    case .terminated: "ended by SIGTERM; what was measured is kept"
    }
  }
}

/// Creates the post (an upload job) and the services for a scenario. The harness cannot, as it does not import the services.
enum Wiring {
  static func post(_ scenario: Scenario) throws -> Post {
    guard let directory = scenario.mediaDirectory else { return scenario.syntheticPost }
    return Post(id: scenario.seed, media: try media(in: directory))
  }

  static func media(in directory: String) throws -> [Media] {
    do { return try MediaDirectory.media(in: directory) } catch { throw FileProblem("\(error)") }
  }

  static func checksum(of media: [Media]) -> UInt64 {
    var checksum = Checksum()
    for media in media { withUnsafeBytes(of: media.checksum.littleEndian) { checksum.update($0) } }
    return checksum.value
  }

  /// The folder of `--media`, if a file in it has changed since the scenarios were made.
  static func changedMedia(of scenarios: [Scenario]) -> String? {
    guard let scenario = scenarios.first(where: { $0.mediaDirectory != nil }),
      let directory = scenario.mediaDirectory
    else { return nil }
    return (try? media(in: directory)).map(checksum) == scenario.mediaChecksum ? nil : directory
  }

  /// What a worker process needs to run `contender`, whose uploads go to a folder of its own.
  ///
  /// - Parameter http: creates the HTTP client. Called once, by the first scenario that needs it.
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
