/// What fits the terminal of a headline and tables: a page of whole tables, or the beginning of one that is too tall.
struct WatchFrame {
  let headline: [String]
  let tables: [[String]]

  /// At most `height` lines of at most `columns` columns.
  ///
  /// - Parameter page: any number; past the last one they begin again.
  func lines(columns: Int, height: Int, page: Int) -> [String] {
    let pages = pages(height: height - headline.count - 1)
    var lines = headline
    if !pages.isEmpty {
      let shown = page % pages.count
      lines += pages[shown]
      if pages.count > 1 {
        lines.append("page \(shown + 1) of \(pages.count); at the end there are all of them")
      }
    }
    return lines.prefix(height).map { Self.cut($0, columns) }
  }

  /// Tables one after another, each after an empty line.
  private func pages(height: Int) -> [[String]] {
    var pages: [[String]] = []
    for table in tables {
      let block = [""] + table
      if let last = pages.last, last.count + block.count <= height {
        pages[pages.count - 1] += block
      } else {
        pages.append(Array(block.prefix(max(height, 0))))
      }
    }
    return pages
  }

  /// The line without what is beyond the last column. Escapes take no column, and those of the cut part stay.
  static func cut(_ line: String, _ columns: Int) -> String {
    var (kept, column, isEscape) = ("", 0, false)
    for character in line {
      if character == "\u{1B}" { isEscape = true }
      if isEscape {
        kept.append(character)
        if character.isLetter { isEscape = false }
      } else if column < columns {
        kept.append(character)
        column += 1
      }
    }
    return kept
  }
}
