import Results

/// One scenario's block of the terminal report.
struct TextTable {
  let scenario: ScenarioReport
  let ink: Ink
  /// Columns of the terminal that it may take.
  var width = TextReport.width

  private static let nameWidth = 17
  /// Bars that are shorter show nothing, and longer ones nothing more.
  private static let barWidths = 4...24

  var lines: [String] {
    let title = TextReport.wrap(
      "\(scenario.place): \(scenario.subject), \(scenario.roundsText)", indent: 2)
    let layout = Layout(fields, scenario.cells.filter { $0.explanation == nil }, width: width)
    return title.map(ink.bold) + [ink.dim(layout.header)] + scenario.cells.flatMap { row($0, layout) }
      + scenario.missing.map { "  " + Self.left($0, Self.nameWidth) + "  not measured" }
      + notes.flatMap { TextReport.wrap("  " + $0, indent: 4).map(ink.dim) }
  }

  /// One column after the name: flush right, or left for an interval.
  struct Field {
    let title: String
    /// Of the column, with what separates it from the one before; wider if a value is.
    let width: Int
    var isLeft = false
    let value: (CellReport) -> String
  }

  /// Where the columns are, and how long a bar may be.
  private struct Layout {
    let fields: [Field]
    let widths: [Int]
    /// 0: there is no room for bars, or nothing to draw.
    let barWidth: Int
    let longestBar: Double

    init(_ fields: [Field], _ cells: [CellReport], width: Int) {
      self.fields = fields
      widths = fields.map { field in cells.map { field.value($0).count + 1 }.reduce(field.width, max) }
      let room = min(
        width - widths.reduce(2 + TextTable.nameWidth + 1, +), TextTable.barWidths.upperBound)
      longestBar = cells.compactMap { $0.summary.ratioHigh ?? $0.summary.ratio }.max() ?? 0
      barWidth = longestBar > 0 && room >= TextTable.barWidths.lowerBound ? room : 0
    }

    var header: String { line("contender", fields.map(\.title)) }

    func line(_ name: String, _ texts: [String]) -> String {
      "  " + TextTable.left(name, TextTable.nameWidth)
        + zip(zip(fields, widths), texts).map { column, text in
          column.0.isLeft ? TextTable.left(text, column.1) : TextTable.right(text, column.1)
        }.joined()
    }

    /// With what separates it from the last column; empty where there is none.
    func bar(_ cell: CellReport) -> String {
      guard barWidth > 0, let ratio = cell.summary.ratio else { return "" }
      let isReference = cell.standing == .reference
      let low = cell.summary.ratioLow ?? (isReference ? ratio : nil)
      let high = cell.summary.ratioHigh ?? (isReference ? ratio : nil)
      let interval = low.flatMap { low in high.flatMap { low <= $0 ? low...$0 : nil } }
      return " " + IntervalBar.text(ratio, interval: interval, most: longestBar, width: barWidth)
    }
  }

  private func row(_ cell: CellReport, _ layout: Layout) -> [String] {
    if let explanation = cell.explanation {
      let name = "  " + Self.left(cell.summary.contender, Self.nameWidth) + "  "
      return TextReport.wrap(name + explanation, indent: Self.nameWidth + 4).map(ink.red)
    }
    let name = cell.summary.contender
    let values = fields.map { $0.value(cell) }
    let bar = layout.bar(cell)
    // A long name, such as a variant's, has a line of its own: cut short, it would be another's.
    let lines =
      name.count > Self.nameWidth
      ? ["  " + name, layout.line("", values) + bar] : [layout.line(name, values) + bar]
    return lines.map { cell.summary.rankGroup == 1 && hasRanks ? ink.green($0) : $0 }
  }

  /// Whether anybody is told apart from anybody.
  private var hasRanks: Bool { scenario.cells.contains { ($0.summary.rankGroup ?? 1) > 1 } }

  private static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
