/// A check for a pull request or a job summary: what changed first, what did not folded.
public enum CheckMarkdownReport {
  public static func text(_ report: CheckReport) -> String {
    let (unchanged, changed) = (report.cells(.unchanged), report.cells.filter { $0.state != .unchanged })
    var blocks = ["## \(title(report.verdict))", MarkdownReport.escaped(report.headline)]
    if !changed.isEmpty { blocks.append(table(changed)) }
    if !unchanged.isEmpty {
      blocks.append(
        "<details><summary>\(Headline.counted(unchanged.count, "cell")) unchanged</summary>\n\n\(table(unchanged))\n\n</details>"
      )
    }
    if !report.proofs.isEmpty { blocks.append("Proof of this check:\n\n\(table(report.proofs))") }
    blocks.append(CheckTextReport.closing(report).joined(separator: " "))
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private static func title(_ verdict: CheckReport.Verdict) -> String {
    switch verdict {
    case .regressed: "Something costs more than it did"
    case .failed: "Something could not be measured"
    case .inconclusive: "Inconclusive"
    case .passed: "Nothing costs more than it did"
    }
  }

  private static func table(_ cells: [CheckedCell]) -> String {
    let rows = cells.map { cell in
      [
        "`\(cell.key.contender)`", "`\(cell.key.scenario)`", CheckTextReport.change(cell.last),
        "\(cell.pairs)",
        cell.state.rawValue + (cell.first.failure.map { ": " + MarkdownReport.escaped($0) } ?? ""),
      ]
    }
    return
      ([["Contender", "Scenario", "Change", "Pairs", "Verdict"], [":---", ":---", "---:", "---:", ":---"]]
      + rows)
      .map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }
}
