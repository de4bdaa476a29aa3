import Results

/// A check for a terminal, at most 80 columns wide.
public enum CheckTextReport {
  public static func text(_ report: CheckReport, usesColour: Bool = false) -> String {
    let ink = Ink(isOn: usesColour)
    let header = ["cell", "change", "", ""]
    let (rows, unlisted) = listed(report)
    var columns: [[String]] = rows.map { [$0.name, $0.change, $0.evidence, $0.verdict] }
    func width(_ column: Int) -> Int { ([header] + columns).map { $0[column].count }.max()! + 2 }
    let room = TextReport.width - (1..<header.count).reduce(0) { $0 + width($1) }
    // Where whole names leave no room for the rest, scenarios are headings.
    let isGrouped = width(0) > room
    if isGrouped { for index in rows.indices { columns[index][0] = rows[index].nameInScenario } }
    let widths = [max(header[0].count + 2, min(width(0), room))] + (1..<header.count).map(width)
    var place: ScenarioKey?
    let lines = rows.indices.flatMap { index in
      let (row, texts) = (rows[index], columns[index])
      // A name that is still too long has a line of its own.
      let fits = texts[0].count < widths[0] - 1
      var lines = fits ? [] : ["  " + texts[0]]
      if isGrouped, row.key.place != place {
        place = row.key.place
        lines.insert("  " + ink.bold(row.key.place.description), at: 0)
      }
      lines.append(line([fits ? texts[0] : ""] + texts[1..<3], widths) + painted(row, ink))
      // What several rows in a row have for a reason stands below the last of them.
      let next = index + 1 < rows.count ? rows[index + 1].reason : nil
      if let reason = row.reason, reason != next { lines += TextReport.wrap("      \(reason)", indent: 6) }
      return lines
    }
    let blocks: [[String]] = [
      report.diff.map { $0.isEmpty ? [] : [String($0.dropLast())] } ?? [], TextReport.wrap(report.headline),
      report.doubts.dropFirst().flatMap { TextReport.wrap($0) },
      rows.isEmpty ? [] : [ink.bold(line([header[0]], widths) + header[1])] + lines, unlisted,
      report.notes.flatMap { TextReport.wrap($0) },
    ]
    return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  /// The rows of the table, and what is said of those that it leaves out: counts are many, and most are what they were.
  private static func listed(_ report: CheckReport) -> ([CheckRow], [String]) {
    let rows = report.rows.filter { $0.quantity == nil || $0.state != .unchanged }
    let count = report.rows.count { $0.quantity != nil && $0.state == .unchanged }
    let said =
      count == 0 ? [] : ["  \(Plural.counted(count, "count")) unchanged; --format json has them all"]
    return (rows + report.proofs, said)
  }

  private static func painted(_ row: CheckRow, _ ink: Ink) -> String {
    row.isProven == true ? ink.dim(row.verdict) : ink.painted(row.state)
  }

  private static func line(_ texts: [String], _ widths: [Int]) -> String {
    "  " + zip(texts, widths).map { $0 + String(repeating: " ", count: max(1, $1 - $0.count)) }.joined()
  }
}
