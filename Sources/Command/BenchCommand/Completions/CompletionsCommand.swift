/// Prints what makes a shell complete the command line.
enum CompletionsCommand {
  private enum Shell: String, CaseIterable { case bash, zsh, fish }

  static let operands = [Shell.allCases.map(\.rawValue).joined(separator: "|")]

  static let options: [Option] = []

  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let name = try Options(arguments, known: options, operands: operands).operands[0]
    guard let shell = Shell(rawValue: name) else {
      throw UsageError.unknown("shell", name, among: Shell.allCases.map(\.rawValue))
    }
    let table = CompletionTable(known)
    switch shell {
    case .bash: Terminal.print(BashCompletions.text(table))
    case .zsh: Terminal.print(ZshCompletions.text(table))
    case .fish: Terminal.print(FishCompletions.text(table))
    }
    return .fine
  }
}
