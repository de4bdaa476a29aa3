import Results

/// A report as data: what it says, before it is laid out for a terminal or as a page of Markdown.
public struct Document: Sendable {
  /// Heads a page. A terminal leaves it out: whoever typed the command knows it.
  public var title: String
  public var blocks: [Block]

  public init(title: String = "", _ blocks: [Block]) {
    self.title = title
    self.blocks = blocks
  }

  public indirect enum Block: Sendable {
    /// Why not to believe the rest.
    case warnings([String])
    case paragraphs([String], Tone = .plain)
    case list([String], title: String = "", Tone = .plain)
    case terms([Term], title: String = "")
    case table(Table)
    /// Lines of a unified diff.
    case diff(String)
    /// Commands to copy, which stay whole. A page has none.
    case commands([String], title: String)
    /// Below a heading that a page shows folded; a terminal shows just the blocks.
    case fold(String, [Block])
    /// For one medium only.
    case only(Medium, [Block])
  }

  public enum Medium: Sendable {
    case terminal
    case page
  }

  /// A word of the report, and what it means.
  public struct Term: Sendable, Hashable {
    public let name: String
    public let meaning: String

    public init(_ name: String, _ meaning: String) {
      self.name = name
      self.meaning = meaning
    }
  }

  /// What a reader should think of it; colours on a terminal.
  public enum Tone: Sendable {
    case plain
    case strong
    case faint
    case good
    case bad
  }

  /// What the columns of tables mean, each once, as far as a medium shows them.
  static func legend(of tables: [Table], title: String = "How to read") -> [Block] {
    func terms(_ medium: Medium) -> [Term] {
      tables.flatMap { $0.columns(on: medium).flatMap(\.terms) }.unique()
    }
    return [
      .only(.terminal, [.terms(terms(.terminal), title: title)]), .only(.page, [.terms(terms(.page))]),
    ]
  }
}
