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

/// Completions for bash, from version 3.2 on, which macOS has.
enum BashCompletions {
  static func text(_ table: CompletionTable) -> String {
    let (program, function) = (table.program, "_\(table.identifier)")
    let names = table.commands.map(\.name)
    return """
      # Completions of \(program) for bash. To have them in every shell, write this to
      # ~/.local/share/bash-completion/completions/\(program); in this one: eval "$(\(program) completions bash)"

      \(function)() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
        local command=${COMP_WORDS[1]} words= kind=words prefix= IFS=$' \\t\\n'
        COMPREPLY=()
        # bash takes --name=value for three words.
        if [[ $current == = ]]; then
          current=
        elif [[ $previous == = ]]; then
          previous=${COMP_WORDS[COMP_CWORD-2]}
        fi
        case $command in
          \(names.joined(separator: "|"))) ;;
          *) command=\(table.usualCommand) ;;
        esac
        if [[ $COMP_CWORD -eq 1 && $current != -* ]]; then
          words='\(names.joined(separator: " "))'
        elif [[ $current == -* ]]; then
          case $command in
      \(lines(table.commands.map { "      \($0.name)) words='\(table.options(of: $0).map(\.name).joined(separator: " "))' ;;" }))
          esac
        else
          case "$command $previous" in
      \(lines(values(table)))
            *)
              case $command in
      \(lines(operands(table)))
              esac
              ;;
          esac
        fi
        case $kind in
          files | folders)
            compopt -o filenames 2>/dev/null
            IFS=$'\\n'
            if [[ $kind == files ]]; then
              COMPREPLY=($(compgen -f -- "$current"))
            else
              COMPREPLY=($(compgen -d -- "$current"))
            fi
            ;;
          list)
            compopt -o nospace 2>/dev/null
            if [[ $current == *,* ]]; then prefix=${current%,*},; fi
            COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "${current##*,}"))
            ;;
          *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
        esac
      }
      complete -F \(function) \(program)

      """
  }

  /// What follows which option: those that offer the same stand together.
  private static func values(_ table: CompletionTable) -> [String] {
    var answers: [(answer: String, after: [String])] = []
    for command in table.commands {
      for option in table.options(of: command) where option.value != nil {
        let answer = answer(option.offer, isList: option.isList, command, table)
        let place = "'\(command.name) \(option.name)'"
        if let index = answers.firstIndex(where: { $0.answer == answer }) {
          answers[index].after.append(place)
        } else {
          answers.append((answer, [place]))
        }
      }
    }
    return answers.map { "      \($0.after.joined(separator: " | "))) \($0.answer) ;;" }
  }

  private static func operands(_ table: CompletionTable) -> [String] {
    table.commands.compactMap { command in
      command.operands.last.map {
        "          \(command.name)) \(answer(Offer(operand: $0), isList: false, command, table)) ;;"
      }
    }
  }

  private static func answer(
    _ offer: Offer, isList: Bool, _ command: Subcommand, _ table: CompletionTable
  ) -> String {
    switch offer {
    case .files: "kind=files"
    case .folders: "kind=folders"
    case .nothing: "kind=nothing"
    default:
      "words='\((table.words(offer, in: command) ?? []).joined(separator: " "))'\(isList ? " kind=list" : "")"
    }
  }

  private static func lines(_ lines: [String]) -> String { lines.joined(separator: "\n") }
}

/// Completions for fish, with a line of help beside each word.
enum FishCompletions {
  static func text(_ table: CompletionTable) -> String {
    let (program, name) = (table.program, table.identifier)
    let commands = table.commands
    return """
      # Completions of \(program) for fish. To have them in every shell, write this to
      # ~/.config/fish/completions/\(program).fish; in this one: \(program) completions fish | source

      # Whether the command line asks for one of these commands; without one it asks for \(table.usualCommand).
      function __\(name)_is
          set -l words (commandline -opc)
          set -l command \(table.usualCommand)
          if set -q words[2]; and contains -- $words[2] \(commands.map(\.name).joined(separator: " "))
              set command $words[2]
          end
          contains -- $command $argv
      end

      # The words, each after what stands before the last comma.
      function __\(name)_list
          set -l token (commandline -ct | string replace -r -- '^--[^=]*=' '')
          set -l before (string match -r -- '^.*,' $token)
          for word in $argv
              echo "$before$word"
          end
      end

      complete -c \(program) -f
      \(commands.map { "complete -c \(program) -n 'test (count (commandline -opc)) -eq 1' -a \($0.name) -d \(quoted($0.summary))" }.joined(separator: "\n"))
      \(commands.flatMap { lines($0, table) }.joined(separator: "\n"))

      """
  }

  private static func lines(_ command: Subcommand, _ table: CompletionTable) -> [String] {
    let head = "complete -c \(table.program) -n '__\(table.identifier)_is \(command.name)'"
    let options = table.options(of: command).map { option in
      let values =
        option.value == nil ? "" : " " + argument(option.offer, isList: option.isList, command, table)
      return "\(head) -l \(option.name.dropFirst(2))\(values) -d \(quoted(option.summary))"
    }
    let operands = command.operands.last.map {
      "\(head) \(argument(Offer(operand: $0), isList: false, command, table).replacing("-x ", with: ""))"
    }
    return options + [operands].compactMap(\.self)
  }

  private static func argument(
    _ offer: Offer, isList: Bool, _ command: Subcommand, _ table: CompletionTable
  ) -> String {
    switch offer {
    case .files: return "-r -F"
    case .folders: return "-x -a '(__fish_complete_directories)'"
    case .nothing: return "-x"
    default:
      let words = (table.words(offer, in: command) ?? []).joined(separator: " ")
      return isList ? "-x -a '(__\(table.identifier)_list \(words))'" : "-x -a '\(words)'"
    }
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }
}

/// Completions for zsh, with a line of help beside each word.
enum ZshCompletions {
  static func text(_ table: CompletionTable) -> String {
    let (program, function) = (table.program, "_\(table.identifier)")
    return """
      #compdef \(program)
      # Completions of \(program) for zsh. To have them in every shell, write this to a file \(function) in a folder of
      # $fpath; in this one, after compinit: source <(\(program) completions zsh)

      \(function)() {
        local -a commands=(
      \(table.commands.map { "    \(quoted("\($0.name):\($0.summary)"))" }.joined(separator: "\n"))
        )
        if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
          _describe -t commands command commands
          return
        fi
        local command=\(table.usualCommand)
        if [[ $words[2] != -* ]]; then
          command=$words[2]
          shift words
          (( CURRENT-- ))
        fi
        case $command in
      \(table.commands.map { block($0, table) }.joined(separator: "\n"))
        esac
      }

      if [[ $funcstack[1] == \(function) ]]; then
        \(function) "$@"
      else
        compdef \(function) \(program)
      fi

      """
  }

  private static func block(_ command: Subcommand, _ table: CompletionTable) -> String {
    let specs = table.options(of: command).map { spec($0, command, table) } + operands(command, table)
    return "    \(command.name))\n      _arguments \\\n"
      + specs.map { "        \(quoted($0))" }.joined(separator: " \\\n") + "\n      ;;"
  }

  private static func spec(_ option: Option, _ command: Subcommand, _ table: CompletionTable) -> String {
    let summary = escaped(option.summary, "[]")
    guard let value = option.value else { return "\(option.name)[\(summary)]" }
    let separator = option.usually == nil ? ":" : "::"
    return "\(option.name)=[\(summary)]\(separator)\(escaped(value, ":")):"
      + action(option.offer, isList: option.isList, command, table)
  }

  private static func operands(_ command: Subcommand, _ table: CompletionTable) -> [String] {
    command.operands.enumerated().map { index, name in
      let place = name.hasSuffix("…") ? "*" : String(index + 1)
      return "\(place):\(escaped(name, ":")):" + action(Offer(operand: name), isList: false, command, table)
    }
  }

  private static func action(
    _ offer: Offer, isList: Bool, _ command: Subcommand, _ table: CompletionTable
  ) -> String {
    switch offer {
    case .files: return "_files"
    case .folders: return "_files -/"
    case .nothing: return " "
    default:
      let words = (table.words(offer, in: command) ?? []).map { escaped($0, ":") }.joined(separator: " ")
      return isList ? "_sequence compadd - \(words)" : "(\(words))"
    }
  }

  private static func escaped(_ text: String, _ characters: String) -> String {
    text.map { $0 == "\\" || characters.contains($0) ? "\\\($0)" : "\($0)" }.joined()
  }

  private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}
