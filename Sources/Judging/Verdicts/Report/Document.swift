import Foundation
import Results

/// A report as data, which is then formatted for a terminal or as a Markdown page.
public struct Document: Sendable {
  /// The heading of a page. A terminal omits it, because the user typed the command.
  public var title: String
  public var blocks: [Block]

  public init(title: String = "", _ blocks: [Block]) {
    self.title = title
    self.blocks = blocks
  }

  public indirect enum Block: Sendable {
    /// Reasons why the report is not trustworthy.
    case warnings([String])
    case paragraphs([String], Tone = .plain)
    case list([String], title: String = "", Tone = .plain)
    case terms([Term], title: String = "")
    case table(Table)
    /// Lines that begin with - and +, as in a diff.
    case diff(String)
    /// Commands for the user to copy. Their lines are never wrapped.
    case commands([String], title: String)
    /// Blocks below a heading. A Markdown page folds them; a terminal omits the heading.
    case fold(String, [Block])
    /// Blocks that are shown only on a terminal or only on a Markdown page.
    case only(Medium, [Block])
  }

  public enum Medium: Sendable {
    case terminal, page
  }

  /// A word that the report uses, and its meaning.
  public typealias Term = (name: String, meaning: String)

  /// How a reader should judge a text. A terminal shows tones as colours.
  public enum Tone: Sendable {
    case plain, strong, faint, good, bad
  }

  /// Explains how to read tables. A terminal and a page each get only the terms of the columns that they show.
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
  /// A copy that marks the names of contenders that this package does not ship. A Markdown page lists these contenders instead.
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
        .only(.page, [.list(named, title: "Shipped with")]),
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
