import Results

extension Document {
  /// The same with a sign behind the name of every contender that does not come with this package, and what the signs mean; a
  /// page, which has room, names them instead.
  ///
  /// - Parameter idioms: by contender, as far as they are known.
  func marked(_ idioms: [String: IdiomRecord]) -> Document {
    var shippers: [String: String] = [:]
    let blocks = blocks.map { Self.marked($0, idioms, &shippers) }
    let known = Table.Cell.shippers.filter { shippers.values.contains($0.name) }
    guard !known.isEmpty else { return self }
    let signs = known.compactMap { shipper in shipper.mark.map { "\($0) comes with \(shipper.meaning)" } }
    let named = known.map { shipper in
      "\(shippers.filter { $0.value == shipper.name }.keys.sorted().joined(separator: ", ")): \(shipper.meaning)"
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
