/// Lines that are no longer than a terminal is wide.
public enum TextWrap {
  public static let width = 80

  /// Breaks at spaces, but neither between a number and its unit nor within a command between backquotes; a word that is
  /// longer than a line is cut into pieces.
  ///
  /// - Parameter indent: of every line but the first, which brings its own spaces.
  public static func lines(_ text: String, indent: Int = 0, width: Int = TextWrap.width) -> [String] {
    let hanging = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    var isStart = true
    for word in words(of: text) {
      var rest = Substring(word)
      if !isStart, line.count + 1 + rest.count > width {
        lines.append(line)
        line = hanging
        isStart = true
        if rest.isEmpty { continue }
      }
      if !isStart { line += " " }
      while line.count + rest.count > width {
        let room = width - line.count
        lines.append(line + rest.prefix(room))
        rest = rest.dropFirst(room)
        line = hanging
      }
      line += rest
      isStart = false
    }
    return lines + [line]
  }

  /// The text, or as much of it as has room on one line.
  static func cut(_ text: String, to width: Int) -> String {
    text.count > width ? text.prefix(width - 1) + "…" : text
  }

  /// What no line is broken within: a word, a number with what it counts, or a command.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    var isCommand = false
    let hasCommands = text.count { $0 == "`" }.isMultiple(of: 2)
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if isCommand || !word.isEmpty && words.last.map(isNumber) == true {
        words[words.count - 1] += " " + word
      } else {
        words.append(String(word))
      }
      if hasCommands, !word.count(where: { $0 == "`" }).isMultiple(of: 2) { isCommand.toggle() }
    }
    return words
  }

  /// Such as `±`, `+3.0` or `(12`, but not `1,`, `25.` or `0-3`.
  private static func isNumber(_ word: String) -> Bool {
    let digits = word.drop { "([±+-×>< ".contains($0) }
    return !word.isEmpty && word != "-" && word.last != "."
      && digits.allSatisfy { $0.isNumber || $0 == "." || $0 == " " }
  }
}
