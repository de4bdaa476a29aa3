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

/// When what is watched is analysed and drawn anew, in seconds since the start.
struct WatchPace {
  /// Faster than this nobody reads.
  private static let betweenDrawings = 0.1
  private static let betweenAnalyses = 0.5
  /// How long a page stands that is not the only one.
  private static let perPage = 5.0
  /// An analysis takes time that the run's budget counts, so all of them together have at most so much of it.
  private static let share = 0.05

  private var lastDrawing = -Double.infinity
  private var nextAnalysis = 0.0

  mutating func isDrawingDue(at seconds: Double) -> Bool {
    guard seconds - lastDrawing >= Self.betweenDrawings else { return false }
    lastDrawing = seconds
    return true
  }

  func isAnalysisDue(at seconds: Double) -> Bool { seconds >= nextAnalysis }

  mutating func analysed(from begin: Double, to end: Double) {
    nextAnalysis = end + max(Self.betweenAnalyses, (end - begin) / Self.share)
  }

  /// Which page is shown, from 0 on and without end.
  func page(at seconds: Double) -> Int { Int(seconds / Self.perPage) }
}
