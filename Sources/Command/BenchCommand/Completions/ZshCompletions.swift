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

  private static func block(_ command: CompletionTable.Command, _ table: CompletionTable) -> String {
    let specs =
      command.options.map { spec($0, command, table) } + operands(command, table)
    return "    \(command.name))\n      _arguments \\\n"
      + specs.map { "        \(quoted($0))" }.joined(separator: " \\\n") + "\n      ;;"
  }

  private static func spec(
    _ option: Option, _ command: CompletionTable.Command, _ table: CompletionTable
  ) -> String {
    let summary = escaped(option.summary, "[]")
    guard let value = option.value else { return "\(option.name)[\(summary)]" }
    let separator = option.usually == nil ? ":" : "::"
    return "\(option.name)=[\(summary)]\(separator)\(escaped(value, ":")):"
      + action(option.offer, isList: option.isList, command, table)
  }

  private static func operands(_ command: CompletionTable.Command, _ table: CompletionTable) -> [String] {
    command.operands.enumerated().map { index, name in
      let isLast = index == command.operands.count - 1
      let place = isLast && command.repeatsLastOperand ? "*" : String(index + 1)
      return "\(place):\(escaped(name, ":")):" + action(Offer(operand: name), isList: false, command, table)
    }
  }

  private static func action(
    _ offer: Offer, isList: Bool, _ command: CompletionTable.Command, _ table: CompletionTable
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
