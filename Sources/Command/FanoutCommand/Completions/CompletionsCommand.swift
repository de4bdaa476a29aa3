/// Prints what makes a shell complete the command line.
enum CompletionsCommand {
  static let operands = ["bash|zsh|fish"]

  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let name = try Options(arguments, known: [], operands: operands).operands[0]
    let texts = ["bash": BashCompletions.text, "zsh": ZshCompletions.text, "fish": FishCompletions.text]
    guard let text = texts[name] else {
      throw UsageError.unknown("shell", name, among: ["bash", "zsh", "fish"])
    }
    Terminal.print(text(CompletionTable(known)))
    return .fine
  }
}

/// What there is to complete: the same tables that the parser and the help read, and the names that `list` shows.
struct CompletionTable {
  let program: String
  let commands: [Subcommand]
  /// What stands there without a command.
  let usualCommand: String
  private let listing: ListCommand.Listing

  init(_ known: ContenderList, program: String = CommandName.current) {
    self.program = program
    listing = ListCommand.listing(of: known)
    usualCommand = Subcommand.usual(known).name
    commands = Subcommand.visible(known)
  }

  func options(of command: Subcommand) -> [Option] {
    command.options + [Option("--help", nil, "what it can be told")]
  }

  /// All words that may stand somewhere; nil where anything may, or a path.
  func words(_ offer: Offer, in command: Subcommand) -> [String]? {
    switch offer {
    case .nothing, .files, .folders: nil
    case .words(let words): words
    case .contenders:
      (command == .runtimes ? listing.runtimes : listing.contenders + listing.variants).map(\.name)
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
