/// What the doctor says, for a job summary: what needs attention first, the rest folded.
public enum DoctorMarkdownReport {
  public static func text(_ report: DoctorReport) -> String {
    let tables = DoctorTables(readings: report.readings)
    var blocks = ["## \(report.resolvesUsualMargin ? "Fit for checks" : "Not fit for checks")"]
    if !report.readings.isReleaseBuild {
      blocks.append("> **Warning:** debug build: these figures say nothing")
    }
    blocks.append(MarkdownReport.escaped(report.headline))
    let (fine, others) = (
      report.findings.filter { $0.severity == .ok }, report.findings.filter { $0.severity != .ok }
    )
    if !others.isEmpty { blocks.append(table(others)) }
    if !tables.margins.isEmpty {
      blocks.append(table(tables.marginHeader, tables.margins))
      blocks.append(MarkdownReport.escaped(report.method))
    }
    let rows = tables.spreads.flatMap { mode, rows in
      rows.map { ["\(mode), `\($0[0])`"] + $0.dropFirst() }
    }
    if !rows.isEmpty { blocks.append(table(DoctorTables.spreadHeader, rows)) }
    blocks.append(
      "<details><summary>\(fine.count) without a remark</summary>\n\n\(table(fine))\n\n</details>")
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private static func table(_ findings: [Finding]) -> String {
    let rows = findings.map { finding in
      [
        finding.severity.rawValue, finding.subject,
        MarkdownReport.escaped(finding.seen ?? "not visible"),
        finding.advice.map(withCommands) ?? "",
      ]
    }
    return lines([["", "What", "Seen", "What to do"], [":---", ":---", ":---", ":---"]] + rows)
  }

  /// Commands stand between backquotes already, and stay as they are.
  private static func withCommands(_ text: String) -> String {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
      index % 2 == 0 ? MarkdownReport.escaped(String(part)) : String(part)
    }.joined(separator: "`")
  }

  private static func table(_ header: [String], _ rows: [[String]]) -> String {
    lines([header, [":---"] + header.dropFirst().map { _ in "---:" }] + rows)
  }

  private static func lines(_ rows: [[String]]) -> String {
    rows.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }
}
