import Results

/// One scenario's block of the terminal report.
struct TextTable {
  let scenario: ScenarioReport
  let ink: Ink

  private static let nameWidth = 18
  private static let timeWidth = 13
  private static let overheadWidth = 11
  private static let ratioWidth = 7
  private static let efficiencyWidth = 7
  private static let memoryWidth = 9
  private static let rankWidth = 5
  private static let intervalWidth = 17

  var lines: [String] {
    let rounds = Headline.counted(scenario.rounds, "round")
    let title = TextReport.wrap("\(scenario.name): \(scenario.subject), \(rounds)", indent: 2)
    return title.map(ink.bold) + [ink.dim(header)] + scenario.cells.flatMap(row)
      + scenario.missing.map { "  " + left($0, Self.nameWidth) + "  not measured" }
  }

  private var hasEfficiency: Bool { scenario.cells.contains { $0.summary.efficiency != nil } }

  /// Whether anybody is told apart from anybody.
  private var hasRanks: Bool { scenario.cells.contains { ($0.summary.rankGroup ?? 1) > 1 } }

  private var header: String {
    line("contender", scenario.timeTitle, "overhead", "ratio", " [interval]", "effic.", "memory", "rank")
  }

  private func row(_ cell: CellReport) -> [String] {
    if let explanation = cell.explanation {
      let name = "  " + left(cell.summary.contender, Self.nameWidth) + "  "
      return TextReport.wrap(name + explanation, indent: name.count).map(ink.red)
    }
    let text = line(
      cell.summary.contender, scenario.timeNanoseconds(cell).map { NumberText.duration($0) } ?? "",
      overhead(cell), cell.summary.ratio.map(NumberText.ratio) ?? "", " " + interval(cell),
      cell.summary.efficiency.map(NumberText.ratio) ?? "",
      scenario.memoryBytes(cell).map(NumberText.bytes) ?? "", cell.summary.rankGroup.map(String.init) ?? "")
    return [cell.summary.rankGroup == 1 && hasRanks ? ink.green(text) : text]
  }

  private func overhead(_ cell: CellReport) -> String {
    guard cell.comparison != nil, let overhead = scenario.overheadNanoseconds(cell) else { return "" }
    return NumberText.duration(overhead, isSigned: true)
  }

  private func interval(_ cell: CellReport) -> String {
    switch cell.standing {
    case .reference: return "reference"
    case .notCompared: return ""
    case .compared(let comparison):
      guard let low = comparison.ratioLow, let high = comparison.ratioHigh else { return "unresolved" }
      return "[\(NumberText.ratio(low)), \(NumberText.ratio(high))]"
        + (comparison.verdict == .unresolved ? " ?" : "")
    }
  }

  private func line(
    _ name: String, _ time: String, _ overhead: String, _ ratio: String, _ interval: String,
    _ efficiency: String, _ memory: String, _ rank: String
  ) -> String {
    "  " + left(name, Self.nameWidth) + right(time, Self.timeWidth) + right(overhead, Self.overheadWidth)
      + right(ratio, Self.ratioWidth) + left(interval, Self.intervalWidth)
      + (hasEfficiency ? right(efficiency, Self.efficiencyWidth) : "")
      + (scenario.showsMemory ? right(memory, Self.memoryWidth) : "") + right(rank, Self.rankWidth)
  }

  private func left(_ text: String, _ width: Int) -> String {
    let text = text.count > width ? text.prefix(width - 1) + "…" : text
    return text + String(repeating: " ", count: width - text.count)
  }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
