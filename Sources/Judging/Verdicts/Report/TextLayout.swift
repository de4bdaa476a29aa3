extension Document {
  /// For a terminal, wrapped to 80 columns; with a larger width the bars are longer.
  public func text(usesColour: Bool = false, width: Int = TextWrap.width) -> String {
    TextLayout(usesColour: usesColour, width: max(width, TextWrap.width)).blocks(blocks)
      .map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }
}

/// Lays a report out for a terminal.
public struct TextLayout {
  let ink: Ink
  /// Columns that a table may take.
  let width: Int

  public init(usesColour: Bool, width: Int) { (ink, self.width) = (Ink(isOn: usesColour), width) }

  /// The lines of each block; between blocks stands an empty line.
  public func blocks(_ blocks: [Document.Block]) -> [[String]] {
    blocks.flatMap(lines).filter { !$0.isEmpty }
  }

  private func lines(_ block: Document.Block) -> [[String]] {
    switch block {
    case .warnings(let texts):
      return [texts.flatMap { TextWrap.lines("WARNING: " + $0, indent: 2).map { ink.paint($0, .bad) } }]
    case .paragraphs(let texts, let tone):
      // Of several one sees where each begins.
      let indent = texts.count > 1 ? 2 : 0
      return [texts.flatMap { TextWrap.lines($0, indent: indent).map { ink.paint($0, tone) } }]
    case .list(let texts, let title, let tone):
      let items = texts.flatMap { TextWrap.lines("  " + $0, indent: 4).map { ink.paint($0, tone) } }
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

  private func heading(_ title: String) -> [String] { title.isEmpty ? [] : [ink.paint(title, .strong)] }

  private func lines(_ terms: [Document.Term]) -> [String] {
    let nameWidth = max(9, terms.map(\.name.count).max() ?? 0) + 1
    return terms.flatMap { term in
      let name = term.name + String(repeating: " ", count: nameWidth - term.name.count)
      return TextWrap.lines("  " + name + term.meaning, indent: nameWidth + 2)
    }
  }
}

/// ANSI colours, or none.
struct Ink {
  let isOn: Bool

  func paint(_ text: String, _ tone: Document.Tone) -> String {
    guard isOn, !text.isEmpty, let code = Self.code(tone) else { return text }
    return "\u{1B}[\(code)m" + text + "\u{1B}[0m"
  }

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
