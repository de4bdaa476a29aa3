import Foundation

/// Prints the manual's page, for `man -l` or a folder of `MANPATH`.
enum ManualCommand {
  static let options: [Option] = []

  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    _ = try Options(arguments, known: options)
    let executable = WorkerCommand.executable.resolvingSymlinksInPath()
    let built = try? executable.resourceValues(forKeys: [.contentModificationDateKey])
    Terminal.print(
      Manual(
        program: CommandName.current, commands: Subcommand.visible(known),
        date: built?.contentModificationDate ?? Date()
      ).text)
    return .fine
  }
}
