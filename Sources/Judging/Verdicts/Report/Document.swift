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
  public typealias Term = (name: String, meaning: String)

  /// What a reader should think of it; colours on a terminal.
  public enum Tone: Sendable {
    case plain
    case strong
    case faint
    case good
    case bad
  }

  /// How to read tables: those terms that their columns name, as far as a medium shows these.
  static func legend(of tables: [Table], _ terms: KeyValuePairs<String, String>) -> [Block] {
    func named(on medium: Medium) -> [Term] {
      let names = Set(tables.flatMap { table in table.indices(on: medium).map { table.columns[$0].term } })
      return terms.filter { names.contains($0.key) }.map { ($0.key, $0.value) }
    }
    return [
      .only(.terminal, [.terms(named(on: .terminal), title: "How to read")]),
      .only(.page, [.terms(named(on: .page))]),
    ]
  }
}
