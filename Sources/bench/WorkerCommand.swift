import ContenderRegistry
import Foundation
import Harness
import UploadScenario
import UploadServices

/// One contender's worker process: what a run starts, and no one else.
enum WorkerCommand {
  static let options = [Option("--contender", "NAME", "whose samples to serve")]

  static func run(_ arguments: [String]) throws -> ExitCode {
    let options = try Options(arguments, known: options)
    let name = options.text("--contender") ?? ""
    guard let contender = contenders.first(where: { $0.name == name }) else {
      throw UsageError.unknown("contender", name, among: contenders.map(\.name))
    }
    WorkerLoop.serve {
      Worker(contender: contender, makePost: Wiring.post, makeService: Wiring.service(contender: name))
    }
  }

  /// How this executable is told to be a contender's worker.
  static func launcher() -> WorkerProcessLauncher {
    WorkerProcessLauncher(
      executable: Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]),
      arguments: { [Subcommand.worker.rawValue, "--contender", $0] },
      isInterrupted: { Interruption.isRequested })
  }
}
