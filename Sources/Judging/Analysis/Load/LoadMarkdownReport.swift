import Results

/// What a load run found, for a pull request, a job summary or summary.md.
public enum LoadMarkdownReport {
  public static func text(_ analysis: LoadAnalysis, context: ReportContext = ReportContext()) -> String {
    var blocks = ["## \(MarkdownReport.escaped(analysis.run))"]
    blocks += ReportNotes.warnings(context).map { "> **Warning:** \(MarkdownReport.escaped($0))" }
    blocks.append(MarkdownReport.escaped(analysis.headline.joined(separator: " ")))
    if !analysis.limits.isEmpty {
      let asked = analysis.rule.objective.map(\.description) ?? ""
      let rows = analysis.limits.map { limit in
        let cells = LoadTable.cells(of: limit)
        return ["`\(cells[0])`", limit.scenario] + cells[1...3] + [MarkdownReport.escaped(cells[4])]
      }
      blocks.append(
        "### How much holds \(MarkdownReport.escaped(asked))\n\n"
          + lines(["Contender", "Scenario", "Holds", "Misses", "Windows", "Remark"], rows))
    }
    blocks += LoadTable.all(of: analysis).map(table)
    var closing = analysis.explanations.map { "**\($0.name)**: \(MarkdownReport.escaped($0.text))." }
    let machine = ReportNotes.machine(context.environment)
    if !machine.isEmpty { closing.append(MarkdownReport.escaped(machine)) }
    blocks.append(closing.joined(separator: "  \n"))
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private static func table(_ table: LoadTable) -> String {
    let header = LoadTable.header.map { $0 == "cpu" ? "CPU" : $0.prefix(1).uppercased() + $0.dropFirst() }
    let rows = table.rows.map { row in
      let name = "`\(row.subject.contender)`"
      if let explanation = LoadTable.explanation(row) {
        return [name] + [String](repeating: "", count: header.count - 2)
          + ["**\(MarkdownReport.escaped(explanation))**"]
      }
      return [name] + table.cells(of: row).dropFirst()
    }
    return "### \(MarkdownReport.escaped(table.title))\n\n" + lines(header, rows)
      + table.notes.map { "\n\n" + MarkdownReport.escaped($0) }.joined()
  }

  private static func lines(_ header: [String], _ rows: [[String]]) -> String {
    ([header, [":---"] + header.dropFirst().map { $0 == "Remark" ? ":---" : "---:" }] + rows)
      .map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }
}
