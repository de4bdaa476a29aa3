/// Prints a shell's completion script. If that script calls the command, prints the words that may come next.
enum CompletionsCommand {
  static let operands = ["bash|zsh|fish"]

  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let line = arguments.count == 2 && Shell(rawValue: arguments[0]) != nil ? arguments[1] : nil
    let name = try Options(line == nil ? arguments : [arguments[0]], known: [], operands: operands).operands[
      0]
    guard let shell = Shell(rawValue: name) else {
      throw UsageError(
        "unknown shell “\(name)”. Known: \(Shell.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    guard let line else {
      Terminal.print(shell.script(CommandName.current))
      return .fine
    }
    let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    Terminal.print(shell.text(Completions(known).next(after: words)))
    return .fine
  }

  /// The supported shells. Their scripts call the program with all words before the cursor, separated by tabs.
  enum Shell: String, CaseIterable {
    case bash, zsh, fish

    func script(_ program: String) -> String {
      let function = "_" + String(program.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
      return switch self {
      // The script must run in bash 3.2, the version of macOS.
      case .bash:
        #"""
        # Completions of \#(program) for bash. To have them in every shell, write this to
        # ~/.local/share/bash-completion/completions/\#(program); in this one: eval "$(\#(program) completions bash)"

        \#(function)() {
          local current=${COMP_WORDS[COMP_CWORD]} IFS=$'\t'
          local line="${COMP_WORDS[*]:1:COMP_CWORD}"
          if [[ $current == = ]]; then current=; fi
          IFS=$'\n'
          COMPREPLY=($("${COMP_WORDS[0]/#\~/$HOME}" completions bash "$line" 2>/dev/null))
          case ${COMPREPLY[0]} in
            :files | :folders)
              compopt -o filenames 2>/dev/null
              if [[ ${COMPREPLY[0]} == :files ]]; then
                COMPREPLY=($(compgen -f -- "$current"))
              else
                COMPREPLY=($(compgen -d -- "$current"))
              fi
              ;;
            :list)
              compopt -o nospace 2>/dev/null
              COMPREPLY=("${COMPREPLY[@]:1}")
              ;;
          esac
        }
        complete -F \#(function) \#(program)

        """#
      case .zsh:
        #"""
        #compdef \#(program)
        # Completions of \#(program) for zsh. To have them in every shell, write this to a file \#(function) in a folder of
        # $fpath; in this one, after compinit: source <(\#(program) completions zsh)

        \#(function)() {
          local -a offers=("${(@f)$(${~words[1]} completions zsh "${(pj:\t:)words[2,CURRENT]}" 2>/dev/null)}")
          case $offers[1] in
            '') ;;
            :files) _files ;;
            :folders) _files -/ ;;
            :list) shift offers; compadd -S '' -- "${offers[@]}" ;;
            *) _describe -t words word offers ;;
          esac
        }

        if [[ $funcstack[1] == \#(function) ]]; then
          \#(function) "$@"
        else
          compdef \#(function) \#(program)
        fi

        """#
      case .fish:
        #"""
        # Completions of \#(program) for fish. To have them in every shell, write this to
        # ~/.config/fish/completions/\#(program).fish; in this one: \#(program) completions fish | source

        function _\#(function)
            set -l words (commandline -opc)
            set -l current (commandline -ct)
            set -l offers ($words[1] completions fish (string join \t -- $words[2..] "$current") 2>/dev/null)
            switch "$offers[1]"
                case :files
                    __fish_complete_path "$current"
                case :folders
                    __fish_complete_directories "$current"
                case :list
                    string join \n -- $offers[2..]
                case '*'
                    string join \n -- $offers
            end
        end

        complete -c \#(program) -f -a '(_\#(function))'

        """#
      }
    }

    func text(_ next: Completions.Next) -> String {
      switch next {
      case .files: ":files\n"
      case .folders: ":folders\n"
      case .words(let words, let isList):
        (isList ? ":list\n" : "") + words.map { line($0, isList: isList) + "\n" }.joined()
      }
    }

    private func line(_ word: Completions.Word, isList: Bool) -> String {
      if word.summary.isEmpty { return word.text }
      return switch self {
      case .bash: word.text
      case .zsh: "\(word.text.replacing(":", with: "\\:")):\(word.summary)"
      case .fish: "\(word.text)\t\(word.summary)"
      }
    }
  }
}

/// Finds the words that may come next on a command line.
struct Completions {
  typealias Word = (text: String, summary: String)

  /// The possible words, or a kind of path that the shell itself completes.
  enum Next {
    case files
    case folders
    case words([Word], isList: Bool)
  }

  private let listing: ListCommand.Listing
  private let commands: [Subcommand]
  private let usual: Subcommand

  init(_ known: ContenderList) {
    listing = ListCommand.listing(of: known)
    (commands, usual) = (Subcommand.visible(known), Subcommand.usual(known))
  }

  /// - Parameter words: the words after the program's name. The last one is incomplete.
  func next(after words: [String]) -> Next {
    // bash splits --name=value into three words: the name, the equals sign and the value.
    var words = words.last == "=" ? words.dropLast() + [""] : words
    words.removeAll { $0 == "=" }
    let current = words.popLast() ?? ""
    func offer(_ words: [Word]) -> Next { .words(words.filter { $0.text.hasPrefix(current) }, isList: false) }
    if words.isEmpty, !current.hasPrefix("-") { return offer(commands.map { ($0.name, $0.summary) }) }
    let command = commands.first { $0.name == words.first } ?? usual
    let options = command.options + [Option("--help", nil, "print the command's options")]
    func option(_ name: some StringProtocol) -> Option? {
      options.first { $0.name == name && $0.value != nil }
    }
    if let end = current.firstIndex(of: "="), let option = option(current[..<end]) {
      return values(option.offer, option.isList, command, current, upTo: current.index(after: end))
    }
    if current.hasPrefix("-") { return offer(options.map { ($0.name, $0.summary) }) }
    if let option = words.last.flatMap({ option($0) }) {
      return values(option.offer, option.isList, command, current, upTo: current.startIndex)
    }
    guard let operand = command.operands.last else { return offer([]) }
    return values(Offer(operand: operand), false, command, current, upTo: current.startIndex)
  }

  /// The possible values of an option or operand. In a list such as `a,b,c`, only the last item is completed.
  private func values(
    _ offer: Offer, _ isList: Bool, _ command: Subcommand, _ current: String, upTo start: String.Index
  ) -> Next {
    let last = isList ? current[start...].lastIndex(of: ",").map(current.index(after:)) ?? start : start
    let words: [String]
    switch offer {
    case .nothing: words = []
    case .files: return .files
    case .folders: return .folders
    case .words(let known): words = known
    case .contenders:
      words = (command == .runtimes ? listing.runtimes : listing.contenders + listing.variants).map(\.name)
    case .patterns: words = listing.patterns.map(\.name)
    case .scenarios, .benchmarks: words = listing.scenarios.map(\.name)
    case .services: words = listing.services.map(\.name)
    case .operations: words = listing.operations.map(\.name)
    }
    return .words(
      words.filter { $0.hasPrefix(current[last...]) }.map { (current[..<last] + $0, "") }, isList: isList)
  }
}
