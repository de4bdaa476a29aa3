import Results

/// What a load run found, for a terminal, at most 80 columns wide.
public enum LoadTextReport {
  public static func text(
    _ analysis: LoadAnalysis, context: ReportContext = ReportContext(), usesColour: Bool = false
  ) -> String {
    let ink = Ink(isOn: usesColour)
    var blocks: [[String]] = []
    let warnings = ReportNotes.warnings(context)
    if !warnings.isEmpty {
      blocks.append(warnings.flatMap { TextReport.wrap("WARNING: " + $0, indent: 2).map(ink.red) })
    }
    blocks.append(TextReport.wrap(analysis.headline.joined(separator: " ")))
    blocks += limits(analysis, ink)
    blocks += LoadTable.all(of: analysis).map { lines($0, ink) }
    blocks.append(closing(analysis, context, ink))
    return blocks.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  private static let nameWidth = 17
  private static let widths = [9, 9, 9, 9, 9, 6, 10]
  private static let limitWidths = [10, 10, 9]

  private static func lines(_ table: LoadTable, _ ink: Ink) -> [String] {
    TextReport.wrap(table.title, indent: 2).map(ink.bold) + [ink.dim(line(LoadTable.header, widths))]
      + table.rows.flatMap { row(table, $0, ink) }
      + table.notes.flatMap { TextReport.wrap("  " + $0, indent: 4).map(ink.dim) }
  }

  private static func row(_ table: LoadTable, _ summary: LoadSummary, _ ink: Ink) -> [String] {
    if let explanation = LoadTable.explanation(summary) {
      let name = "  " + padded(summary.subject.contender) + "  "
      return TextReport.wrap(name + explanation, indent: nameWidth + 4).map(ink.red)
    }
    return named(table.cells(of: summary), widths).map {
      switch summary.verdict {
      case .held: $0
      case .missed, .saturated: ink.red($0)
      case .generatorLate, .machineLimit, nil: ink.dim($0)
      }
    }
  }

  private static func limits(_ analysis: LoadAnalysis, _ ink: Ink) -> [[String]] {
    guard !analysis.limits.isEmpty else { return [] }
    let scenarios = analysis.limits.map(\.scenario)
    return scenarios.enumerated().filter { scenarios.firstIndex(of: $1) == $0 }.map { _, scenario in
      let title = "\(scenario): how much holds \(analysis.rule.objective.map(\.description) ?? "")"
      return TextReport.wrap(title, indent: 2).map(ink.bold)
        + [ink.dim(line(LoadTable.limitHeader.dropLast(), limitWidths))]
        + analysis.limits.filter { $0.scenario == scenario }.flatMap { limit in
          let cells = LoadTable.cells(of: limit)
          let remark = cells[4].isEmpty ? [] : TextReport.wrap("      " + cells[4], indent: 6).map(ink.dim)
          return named(Array(cells.dropLast()), limitWidths) + remark
        }
    }
  }

  private static func closing(_ analysis: LoadAnalysis, _ context: ReportContext, _ ink: Ink) -> [String] {
    var lines = [ink.bold("How to read")]
    for (name, text) in analysis.explanations {
      lines += TextReport.wrap(
        "  " + name + String(repeating: " ", count: 10 - name.count) + text, indent: 12)
    }
    lines.append("")
    let machine = ReportNotes.machine(context.environment)
    if !machine.isEmpty { lines += TextReport.wrap(machine, indent: 2) }
    if !context.nextSteps.isEmpty {
      // Commands stay whole, so that they can be copied.
      lines += ["", ink.bold("Next")] + context.nextSteps.map { "  " + $0 }
    }
    return lines
  }

  /// A name that leaves no room for the rest has a line of its own.
  private static func named(_ cells: [String], _ widths: [Int]) -> [String] {
    cells[0].count > nameWidth
      ? ["  " + cells[0], line([""] + cells.dropFirst(), widths)] : [line(cells, widths)]
  }

  private static func line(_ cells: [String], _ widths: [Int]) -> String {
    let values = zip(cells.dropFirst(), widths).map { text, width in
      String(repeating: " ", count: max(1, width - text.count)) + text
    }
    return ("  " + padded(cells[0]) + values.joined()).trimmed
  }

  private static func padded(_ name: String) -> String {
    name + String(repeating: " ", count: max(0, nameWidth - name.count))
  }

}
