/// Prints what makes a shell complete the command line.
enum CompletionsCommand {
  private enum Shell: String, CaseIterable { case bash, zsh, fish }

  static let operands = [Shell.allCases.map(\.rawValue).joined(separator: "|")]

  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let name = try Options(arguments, known: [], operands: operands).operands[0]
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

/// What there is to complete: the same tables that the parser and the help read, and the names that `list` shows.
struct CompletionTable {
  struct Command {
    let name: String
    let summary: String
    let options: [Option]
    /// In their order; the last may come again and again.
    let operands: [String]
    let repeatsLastOperand: Bool
  }

  let program: String
  let commands: [Command]
  private let listing: ListCommand.Listing
  private let runtimes: [String]

  init(_ known: ContenderList, program: String = CommandName.current) {
    self.program = program
    listing = ListCommand.listing(of: known)
    runtimes = known.benchmarks.implementers.map(\.name)
    usualCommand = Subcommand.usual(known).name
    commands = Subcommand.visible(known).map { command in
      Command(
        name: command.name, summary: command.summary,
        options: command.options + [Option("--help", nil, "what it can be told")],
        operands: command.operands, repeatsLastOperand: command.operands.last?.hasSuffix("…") ?? false)
    }
  }

  /// What stands there without a command.
  let usualCommand: String

  /// All words that may stand somewhere; nil where anything may, or a path.
  func words(_ offer: Offer, in command: Command) -> [String]? {
    switch offer {
    case .nothing, .files, .folders: nil
    case .words(let words): words
    case .contenders:
      command.name == Subcommand.runtimes.name
        ? runtimes : (listing.contenders + listing.variants).map(\.name)
    case .patterns: listing.patterns.map(\.name)
    case .scenarios, .benchmarks: listing.scenarios.map(\.name)
    case .services: listing.services.map(\.name)
    case .operations: listing.operations.map(\.name)
    }
  }

  /// The program's name as a part of names of functions.
  var identifier: String {
    String(program.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }
}
