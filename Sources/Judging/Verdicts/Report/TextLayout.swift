extension Document {
  /// The document as text for a terminal, 80 columns wide by default. Wider terminals get longer bars; narrower ones split wide rows.
  public func text(usesColour: Bool = false, width: Int = TextWrap.width) -> String {
    TextLayout(usesColour: usesColour, width: max(width, TextWrap.least)).blocks(blocks)
      .map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }
}

public struct TextLayout {
  let ink: Ink
  let width: Int
  private var proseWidth: Int { min(width, TextWrap.width) }

  public init(usesColour: Bool, width: Int) { (ink, self.width) = (Ink(isOn: usesColour), width) }

  /// The lines of each block. An empty line belongs between two blocks.
  public func blocks(_ blocks: [Document.Block]) -> [[String]] {
    blocks.flatMap(lines).filter { !$0.isEmpty }
  }

  private func lines(_ block: Document.Block) -> [[String]] {
    switch block {
    case .warnings(let texts):
      return [texts.flatMap { wrapped("WARNING: " + $0, indent: 2).map { ink.paint($0, .bad) } }]
    case .paragraphs(let texts, let tone):
      // With several paragraphs, an indent shows where each begins.
      let indent = texts.count > 1 ? 2 : 0
      return [texts.flatMap { wrapped($0, indent: indent).map { ink.paint($0, tone) } }]
    case .list(let texts, let title, let tone):
      let items = texts.flatMap { wrapped("  " + $0, indent: 4).map { ink.paint($0, tone) } }
      return [items.isEmpty ? [] : heading(title) + items]
    case .terms(let terms, let title): return [terms.isEmpty ? [] : heading(title) + lines(terms)]
    case .table(let table): return [TextTable(table, ink: ink, width: width).lines]
    case .diff(let text): return [text.isEmpty ? [] : [String(text.dropLast())]]
    case .commands(let commands, let title):
      return [commands.isEmpty ? [] : heading(title) + commands.map { "  " + $0 }]
    case .fold(_, let blocks): return self.blocks(blocks)
    case .only(let medium, let blocks): return medium == .terminal ? self.blocks(blocks) : []
    }
  }

  private func heading(_ title: String) -> [String] {
    title.isEmpty ? [] : wrapped(title).map { ink.paint($0, .strong) }
  }

  private func wrapped(_ text: String, indent: Int = 0) -> [String] {
    TextWrap.lines(text, indent: indent, width: proseWidth)
  }

  private func lines(_ terms: [Document.Term]) -> [String] {
    let nameWidth = max(9, terms.map(\.name.count).max() ?? 0) + 1
    return terms.flatMap { term in
      let name = term.name + String(repeating: " ", count: nameWidth - term.name.count)
      return wrapped("  " + name + term.meaning, indent: nameWidth + 2)
    }
  }
}

/// Colours text with ANSI escape sequences, or leaves it plain.
struct Ink {
  let isOn: Bool

  func paint(_ text: String, _ tone: Document.Tone) -> String {
    guard isOn, !text.isEmpty, let code = Self.code(tone) else { return text }
    return "\u{1B}[\(code)m" + text + "\u{1B}[0m"
  }

  /// Colours the background of each ratio in the text, where slashes separate ratios: from blue below 1 to brown at 24.
  func shade(_ text: String, _ ratios: [Double?]) -> String {
    guard isOn else { return text }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    return zip(parts, ratios).map { part, ratio in
      let shade = ratio.flatMap { ratio in Self.shades.last { ratio >= $0.from } }
      return shade.map { $0.code.isEmpty ? String(part) : "\u{1B}[\($0.code)m\(part)\u{1B}[0m" }
        ?? String(part)
    }.joined(separator: "/")
  }

  /// Codes for the background and the text, from the 256 colours that terminals share, each with the smallest ratio that gets it.
  private static let shades: [(from: Double, code: String)] = [
    (0, "48;5;25;38;5;231"), (0.24, "48;5;110;38;5;16"), (0.5, "48;5;153;38;5;16"), (0.87, ""),
    (1.15, "48;5;230;38;5;16"), (1.7, "48;5;222;38;5;16"), (3, "48;5;215;38;5;16"), (6, "48;5;208;38;5;16"),
    (11, "48;5;130;38;5;231"), (19, "48;5;88;38;5;231"),
  ]

  private static func code(_ tone: Document.Tone) -> String? {
    switch tone {
    case .plain: nil
    case .strong: "1"
    case .faint: "2"
    case .bad: "31"
    case .good: "32"
    }
  }
}

public enum TextWrap {
  public static let width = 80
  /// The smallest width. Narrower terminals get lines of this width.
  public static let least = 40

  /// Breaks text at spaces, but not between a number and its unit or within a command between backquotes. Cuts longer words.
  ///
  /// - Parameter indent: the indent of every line except the first, whose leading spaces are part of the text.
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

  /// The parts that stay on one line: a word, a number with its unit, or a command.
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

  /// Whether a unit may follow the word, as after `±`, `+3.0` or `(12`, but not after `1,`, `25.` or `0-3`.
  private static func isNumber(_ word: String) -> Bool {
    let digits = word.drop { "([±+-×>< ".contains($0) }
    return !word.isEmpty && word != "-" && word.last != "."
      && digits.allSatisfy { $0.isNumber || $0 == "." || $0 == " " }
  }
}
