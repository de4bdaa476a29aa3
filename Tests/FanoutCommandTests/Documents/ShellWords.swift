/// The commands of a line as a shell would see them, each as its words: enough of a shell for what documents show.
///
/// Single quotes keep what is between them; double quotes only fall away. A command ends where another one begins, in
/// parentheses or behind `;`, `&&`, `|` and `>`; from `#` on it is a comment.
enum ShellWords {
  static func commands(in line: String) -> [[String]] {
    var commands: [[String]] = [[]]
    var word = ""
    var isQuoted = false
    func endWord() {
      if !word.isEmpty { commands[commands.count - 1].append(word) }
      word = ""
    }
    scan: for character in line {
      switch character {
      case "'": isQuoted.toggle()
      case _ where isQuoted: word.append(character)
      case "#" where word.isEmpty: break scan
      case " ": endWord()
      case "\"": continue
      case ";", "&", "|", ">", "<", "(", ")":
        endWord()
        commands.append([])
      default: word.append(character)
      }
    }
    endWord()
    return commands.filter { !$0.isEmpty }
  }
}
