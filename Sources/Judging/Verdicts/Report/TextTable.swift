struct TextTable {
  private let table: Table
  private let ink: Ink
  private let width: Int
  private let rows: [Table.Row]
  /// The indices of the columns that are shown. The first column has the names.
  private let indices: [Int]
  private let nameWidth: Int
  /// The width of each column after the names, including the space before it.
  private let widths: [Int]
  /// Whether headings replace the first column, because the terminal is narrow.
  private let isGrouped: Bool
  /// The width of bars; 0 if there is no room or no bar.
  private let barWidth: Int
  /// Whether each row becomes several lines, because the columns do not fit beside each other.
  private let isStacked: Bool
  private let longestBar: Double

  /// The fewest columns into which text is wrapped.
  private static let leastRoom = 12
  private static let barWidths = 4...24

  init(_ table: Table, ink: Ink, width: Int) {
    self.table = table
    self.ink = ink
    self.width = width
    let rows = table.rows + table.folds.filter { !$0.isPageOnly }.flatMap(\.rows)
    let full = rows.filter { $0.cells.count > 1 }
    let shown = table.indices(on: .terminal)
    let all = shown.map { index in
      Self.width(of: table.columns[index], texts: full.map { Self.text($0.cells[index]) })
    }
    let isGrouped = table.groups && all.reduce(2, +) > width
    let indices = isGrouped ? Array(shown.dropFirst()) : shown
    let others = Array(all.suffix(indices.count - 1))
    let indent = isGrouped ? 4 : 2
    let names = full.map { Self.text($0.cells[indices[0]]) }
    let column = table.columns[indices[0]]
    let longest = ([column.title] + names).map(\.count).max() ?? 0
    nameWidth =
      column.width > 0
      ? column.width : max(column.title.count, min(longest, width - others.reduce(indent, +)))
    let bars = full.compactMap { row in row.cells.compactMap(\.bar).first }
    longestBar = bars.map { $0.interval?.upperBound ?? $0.value }.max() ?? 0
    let room = min(width - others.reduce(indent + nameWidth + 1, +), Self.barWidths.upperBound)
    barWidth = longestBar > 0 && room >= Self.barWidths.lowerBound ? room : 0
    isStacked = width < TextWrap.width && others.reduce(indent + nameWidth, +) > width
    (self.rows, self.isGrouped, self.indices, widths) = (rows, isGrouped, indices, others)
  }

  var lines: [String] {
    let title = table.title.isEmpty ? [] : TextWrap.lines(table.title, indent: 2, width: proseWidth)
    let notes = table.notes.flatMap {
      TextWrap.lines("  " + $0, indent: 4, width: proseWidth).map { ink.paint($0, .faint) }
    }
    if isStacked { return title.map { ink.paint($0, .strong) } + rows.flatMap(stacked) + notes }
    let header = indices.map { Table.Cell(table.columns[$0].title) }
    var lines = title.map { ink.paint($0, .strong) }
    if rows.contains(where: { $0.cells.count > 1 }) {
      lines += (headings + line(header)).map { ink.paint($0, .faint) }
    }
    var group: String?
    for (index, row) in rows.enumerated() {
      if isGrouped, row.cells[0].text != group {
        group = row.cells[0].text
        lines.append("  " + ink.paint(row.cells[0].text, .strong))
      }
      let next = index + 1 < rows.count ? rows[index + 1].remark : nil
      lines += self.lines(row, next: next).map { ink.paint($0, row.tone) }
    }
    return lines + notes
  }

  private var proseWidth: Int { min(width, TextWrap.width) }

  /// A row as several lines: its name, then each value with its column's title.
  private func stacked(_ row: Table.Row) -> [String] {
    let shown = table.indices(on: .terminal)
    let name = row.cells[0]
    var lines = TextWrap.lines("  " + Self.text(name), indent: 4, width: width).map {
      ink.paint($0, name.tone)
    }
    var line = ""
    for index in shown.dropFirst() where index < row.cells.count {
      let (column, text) = (table.columns[index], Self.text(row.cells[index]).trimmed)
      if text.isEmpty { continue }
      let title = column.title.hasPrefix("[") ? "" : Table.Column.joined(column.above, column.title) + " "
      let pair = title + text.drop { $0 == " " }
      if !line.isEmpty, line.count + pair.count + 2 > width {
        lines += TextWrap.lines(line, indent: 6, width: width)
        line = ""
      }
      line += line.isEmpty ? "    " + pair : "  " + pair
    }
    if !line.isEmpty { lines += TextWrap.lines(line, indent: 6, width: width) }
    let remark = row.remark.map { TextWrap.lines("    " + $0, indent: 4, width: width) }
    return lines + (remark ?? [])
  }

  /// The line above the titles. Each heading is aligned to the right over its columns.
  private var headings: [String] {
    let aboves = indices.dropFirst().map { table.columns[$0].above }
    var (line, end) = ("", (isGrouped ? 4 : 2) + nameWidth)
    for (place, above) in aboves.enumerated() {
      end += widths[place]
      if above.isEmpty || place + 1 < aboves.count && aboves[place + 1] == above { continue }
      line += String(repeating: " ", count: max(0, end - above.count - line.count)) + above
    }
    return line.isEmpty ? [] : [line]
  }

  /// - Parameter next: the remark of the row below. Successive rows with the same remark show it once, below the last.
  private func lines(_ row: Table.Row, next: String?) -> [String] {
    guard row.cells.count > 1 else {
      guard let remark = row.remark else {
        return TextWrap.lines(row.cells[0].text, indent: 2, width: proseWidth)
      }
      let name = "  " + Self.padded(row.cells[0].text, nameWidth) + "  "
      return TextWrap.lines(name + remark, indent: nameWidth + 4, width: proseWidth)
    }
    let remark = row.remark.flatMap {
      $0 == next ? nil : TextWrap.lines("      " + $0, indent: 6, width: proseWidth)
    }
    return line(indices.map { row.cells[$0] }) + (remark ?? [])
  }

  /// The lines of a row. A long name has its own line, because a cut name might be ambiguous; long text in the last column is wrapped.
  private func line(_ cells: [Table.Cell]) -> [String] {
    let indent = String(repeating: " ", count: isGrouped ? 4 : 2)
    let name = Self.text(cells[0])
    let isLong = name.count > nameWidth
    var line = indent + (isLong ? Self.padded("", nameWidth) : ink.paint(name, cells[0].tone))
    var column = indent.count + (isLong ? nameWidth : name.count)
    var end = indent.count + nameWidth
    var rest: [String] = []
    for (place, cell) in cells.dropFirst().enumerated() {
      let isLeft = table.columns[indices[place + 1]].isLeft
      var text = cell.bar.map(bar) ?? Self.text(cell)
      let start = isLeft || cell.bar != nil ? end + 1 : end + widths[place] - text.count
      end += widths[place]
      if text.isEmpty { continue }
      if isLeft, place == cells.count - 2, start + text.count > width, width - start >= Self.leastRoom {
        rest = TextWrap.lines(text, width: width - start)
        text = rest.removeFirst()
        rest = rest.map { String(repeating: " ", count: start) + $0 }
      }
      line += String(repeating: " ", count: start - column)
      line += cell.heats.isEmpty ? ink.paint(text, cell.tone) : ink.shade(text, cell.heats)
      column = start + text.count
    }
    let names = isLong ? TextWrap.lines(indent + name, indent: indent.count, width: width) : []
    return names.map { ink.paint($0, cells[0].tone) } + [line.trimmed] + rest
  }

  private func bar(_ bar: Table.Bar) -> String {
    barWidth == 0
      ? "" : IntervalBar.text(bar.value, interval: bar.interval, most: longestBar, width: barWidth)
  }

  private static func width(of column: Table.Column, texts: [String]) -> Int {
    let longest = (texts + [column.title]).map(\.count).max() ?? 0
    return longest == 0 ? column.width : max(column.width, longest + (column.isLeft ? 2 : 1))
  }

  private static func text(_ cell: Table.Cell) -> String { cell.short ?? cell.text }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

/// A bar from 0 to a value. It is dark up to the interval and half dark within it.
enum IntervalBar {
  private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

  /// - Parameters:
  ///   - interval: the interval of the value; `nil` draws a pale bar. An interval narrower than half a column is not drawn.
  ///   - most: the value whose bar has the full width; above 0.
  static func text(_ value: Double, interval: ClosedRange<Double>?, most: Double, width: Int) -> String {
    func columns(_ value: Double) -> Double { min(max(value / most, 0), 1) * Double(width) }
    guard let interval else { return String(repeating: "░", count: Int(columns(value).rounded(.up))) }
    let (low, high) = (columns(interval.lowerBound), columns(interval.upperBound))
    if high - low >= 0.5 {
      let dark = min(Int(low.rounded()), width - 1)
      return String(repeating: "█", count: dark)
        + String(repeating: "▒", count: max(Int(high.rounded()), dark + 1) - dark)
    }
    // Even the smallest value gets a visible bar.
    let eighths = max(Int((columns(value) * 8).rounded()), 1)
    return String(repeating: "█", count: eighths / 8) + Self.eighths[eighths % 8]
  }
}
