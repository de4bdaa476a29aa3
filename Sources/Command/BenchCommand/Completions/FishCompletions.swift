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

  private static func lines(_ command: CompletionTable.Command, _ table: CompletionTable) -> [String] {
    let head = "complete -c \(table.program) -n '__\(table.identifier)_is \(command.name)'"
    let options = command.options.map { option in
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
    _ offer: Offer, isList: Bool, _ command: CompletionTable.Command, _ table: CompletionTable
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
