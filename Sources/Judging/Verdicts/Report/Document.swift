import Foundation
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
    /// Lines that begin with - and +.
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

extension Document {
  /// The same with a sign behind the name of every contender that does not come with this package, and what the signs mean; a
  /// page, which has room, names them instead.
  ///
  /// - Parameter idioms: by contender, as far as they are known.
  func marked(_ idioms: [String: IdiomRecord]) -> Document {
    var shippers: [String: String] = [:]
    let blocks = blocks.map { Self.marked($0, idioms, &shippers) }
    let known = Table.Cell.shippers.filter { shippers.values.contains($0.shipsWith) }
    guard !known.isEmpty else { return self }
    let signs = known.compactMap { shipper in shipper.mark.map { "\($0) comes with \(shipper.meaning)" } }
    let named = known.map { shipper in
      "\(shippers.filter { $0.value == shipper.shipsWith }.keys.sorted().joined(separator: ", ")): \(shipper.meaning)"
    }
    return Document(
      title: title,
      blocks + [
        .only(.terminal, [.paragraphs(signs.isEmpty ? [] : [signs.joined(separator: "; ") + "."])]),
        .only(.page, [.list(named, title: "Who ships them")]),
      ])
  }

  private static func marked(
    _ block: Block, _ idioms: [String: IdiomRecord], _ shippers: inout [String: String]
  ) -> Block {
    func all(_ blocks: [Block]) -> [Block] { blocks.map { marked($0, idioms, &shippers) } }
    switch block {
    case .table(var table):
      for row in table.rows.indices { mark(&table.rows[row], idioms, &shippers) }
      table.folds = table.folds.map { fold in
        var fold = fold
        for row in fold.rows.indices { mark(&fold.rows[row], idioms, &shippers) }
        return fold
      }
      return .table(table)
    case .fold(let title, let blocks): return .fold(title, all(blocks))
    case .only(let medium, let blocks): return .only(medium, all(blocks))
    case .warnings, .paragraphs, .list, .terms, .diff, .commands: return block
    }
  }

  private static func mark(
    _ row: inout Table.Row, _ idioms: [String: IdiomRecord], _ shippers: inout [String: String]
  ) {
    for cell in row.cells.indices where row.cells[cell].style == .name {
      let name = row.cells[cell].text
      guard let shipper = idioms[name]?.shipsWith else { continue }
      shippers[name] = shipper
      row.cells[cell] = .name(name, shipsWith: shipper)
    }
  }
}
