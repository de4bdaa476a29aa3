import Results

extension Document {
  /// The document as Markdown for a pull request, a job summary or a file.
  public var markdown: String {
    let heading = title.isEmpty ? [] : ["## " + Markdown.escaped(title)]
    return (heading + Markdown.blocks(blocks)).joined(separator: "\n\n") + "\n"
  }
}

enum Markdown {
  static func blocks(_ blocks: [Document.Block]) -> [String] {
    blocks.flatMap(self.block).filter { !$0.isEmpty }
  }

  private static func block(_ block: Document.Block) -> [String] {
    switch block {
    case .warnings(let texts): texts.map { "> **Warning:** " + escaped($0) }
    case .paragraphs(let texts, _): texts.map(escaped)
    case .list(let texts, let title, let tone):
      texts.isEmpty ? [] : heading(title) + [lines(texts.map { "- " + toned(escaped($0), tone) })]
    case .terms(let terms, let title):
      heading(title) + [lines(terms.map { "- *\(escaped($0.name))*: \(escaped($0.meaning))." })]
    case .table(let table): self.table(table)
    case .diff(let text): text.isEmpty ? [] : ["```diff\n\(text)```"]
    case .commands(let commands, let title): commands.map { "\(title): " + code($0) }
    case .fold(let summary, let blocks): [fold(summary, self.blocks(blocks))]
    case .only(let medium, let blocks): medium == .page ? self.blocks(blocks) : []
    }
  }

  private static func heading(_ title: String) -> [String] { title.isEmpty ? [] : ["**\(title)**"] }

  private static func table(_ table: Table) -> [String] {
    var blocks = table.title.isEmpty ? [] : ["### " + escaped(table.title)]
    if !table.rows.isEmpty { blocks.append(lines(table, table.rows)) }
    blocks += table.notes.map(escaped)
    for rows in table.folds where !rows.rows.isEmpty {
      let body = lines(table, rows.rows)
      blocks += rows.isFolded ? [fold(rows.summary, [body])] : [rows.summary, body]
    }
    return blocks
  }

  private static func lines(_ table: Table, _ rows: [Table.Row]) -> String {
    let indices = table.indices(on: .page)
    let hasRemarks = rows.contains { $0.remark != nil }
    var header = indices.map { Table.Column.joined(table.columns[$0].above, table.columns[$0].title) }
    var rule = indices.enumerated().map { $0 == 0 || table.columns[$1].isLeft ? ":---" : "---:" }
    if hasRemarks {
      header.append(table.remarkTitle)
      rule.append(":---")
    }
    let body = rows.map { row in
      let cells = indices.map { $0 < row.cells.count ? text(row.cells[$0]) : "" }
      guard hasRemarks else { return line(cells) }
      let remark = row.remark.map { table.hasCommands ? withCommands($0) : escaped($0) } ?? ""
      return line(cells + [toned(remark, row.tone)])
    }
    return lines([line(header), line(rule)] + body)
  }

  private static func text(_ cell: Table.Cell) -> String {
    let text = cell.text.trimmed
    return switch cell.style {
    case .own: text
    case .name: text.isEmpty ? "" : "`\(text)`"
    case .foreign: escaped(text)
    }
  }

  private static func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

  private static func lines(_ lines: [String]) -> String { lines.joined(separator: "\n") }

  private static func fold(_ summary: String, _ blocks: [String]) -> String {
    (["<details><summary>\(escaped(summary))</summary>"] + blocks + ["</details>"]).joined(separator: "\n\n")
  }

  private static func toned(_ text: String, _ tone: Document.Tone) -> String {
    text.isEmpty || tone != .bad && tone != .strong ? text : "**\(text)**"
  }

  /// Escapes text of unknown origin for a cell of a Markdown table.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\", "|", "`", "*", "_", "[", "]": result += "\\\(character)"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case _ where character.isNewline: result += " "
      default: result.append(character)
      }
    }
    return result
  }

  /// Escapes text of this package, but keeps commands between backquotes.
  private static func withCommands(_ text: String) -> String {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
      index.isMultiple(of: 2) ? escaped(String(part)) : String(part)
    }.joined(separator: "`")
  }

  /// Formats text as code. A backquote is replaced, because it would end the code.
  private static func code(_ text: String) -> String {
    "`" + SafeText.visible(text.replacing("`", with: "'").replacing("\n", with: " ")) + "`"
  }
}
