/// A check for a pull request or a job summary: what changed first, what did not folded.
public enum CheckMarkdownReport {
  public static func text(_ report: CheckReport) -> String {
    let changed = report.rows.filter { $0.state != .unchanged }
    var blocks = ["## \(title(report.verdict))", MarkdownReport.escaped(report.headline)]
    blocks += report.doubts.dropFirst().map(MarkdownReport.escaped)
    if !changed.isEmpty { blocks.append(table(changed)) }
    if let diff = report.diff, !diff.isEmpty { blocks.append("```diff\n\(diff)```") }
    let unchanged = report.rows(.unchanged)
    if !unchanged.isEmpty {
      blocks.append(
        "<details><summary>\(unchanged.count) unchanged</summary>\n\n\(table(unchanged))\n\n</details>")
    }
    let failing = report.proofs.filter { $0.isProven == false }
    if !failing.isEmpty { blocks.append("The proof of this check fails:\n\n\(table(failing))") }
    let holding = report.proofs.filter { $0.isProven == true }
    if !holding.isEmpty {
      blocks.append(
        "<details><summary>proof of this check: \(holding.count) as they must be</summary>\n\n\(table(holding))\n\n</details>"
      )
    }
    let notes = report.notes.map(MarkdownReport.escaped)
    // A few are read in passing; more are a list.
    blocks.append(
      notes.count > 4 ? notes.map { "- " + $0 }.joined(separator: "\n") : notes.joined(separator: " "))
    return blocks.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  private static func title(_ verdict: CheckReport.Verdict) -> String {
    switch verdict {
    case .regressed: "Something costs more than it did"
    case .failed: "Something could not be measured"
    case .inconclusive: "Inconclusive"
    case .passed: "Nothing costs more than it did"
    }
  }

  private static func table(_ rows: [CheckRow]) -> String {
    let hasQuantity = rows.contains { $0.quantity != nil }
    let head = ["Contender", "Scenario"] + (hasQuantity ? ["What"] : []) + ["Change", "Evidence", "Verdict"]
    let rule = [":---", ":---"] + (hasQuantity ? [":---"] : []) + ["---:", "---:", ":---"]
    let body = rows.map { row in
      ["`\(row.key.contender)`", "`\(row.key.place)`"] + (hasQuantity ? [row.quantity ?? ""] : [])
        + [
          row.change, row.evidence,
          row.verdict + (row.isProven == true ? ", as it must be" : "")
            + (row.reason.map { ": " + MarkdownReport.escaped($0) } ?? ""),
        ]
    }
    return ([head, rule] + body).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }
}
