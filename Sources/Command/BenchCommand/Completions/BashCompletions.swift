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
      \(lines(table.commands.map { "      \($0.name)) words='\($0.options.map(\.name).joined(separator: " "))' ;;" }))
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
      for option in command.options where option.value != nil {
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
    _ offer: Offer, isList: Bool, _ command: CompletionTable.Command, _ table: CompletionTable
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
