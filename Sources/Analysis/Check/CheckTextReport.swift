/// A check for a terminal, at most 80 columns wide.
public enum CheckTextReport {
  public static func text(_ report: CheckReport, usesColour: Bool = false) -> String {
    let ink = Ink(isOn: usesColour)
    let header = ["cell", "change", "", ""]
    let rows = report.rows + report.proofs
    let columns: [[String]] = rows.map { [$0.name, $0.change, $0.evidence, $0.state.rawValue] }
    var widths = header.indices.map { column in ([header] + columns).map { $0[column].count }.max()! + 2 }
    // A name that leaves no room for the rest has a line of its own.
    widths[0] = min(widths[0], TextReport.width - widths[1...].reduce(0, +))
    let lines = zip(rows, columns).flatMap { row, texts in
      let fits = texts[0].count < widths[0] - 1
      var lines = fits ? [] : ["  " + texts[0]]
      lines.append(line([fits ? texts[0] : ""] + texts[1..<3], widths) + painted(row, ink))
      if let reason = row.reason { lines += TextReport.wrap("      \(reason)", indent: 6) }
      return lines
    }
    let blocks: [[String]] = [
      TextReport.wrap(report.headline), report.doubts.dropFirst().flatMap { TextReport.wrap($0) },
      [ink.bold(line(header, widths))] + lines, report.notes.flatMap { TextReport.wrap($0) },
    ]
    return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  private static func painted(_ row: CheckRow, _ ink: Ink) -> String {
    let state = row.state.rawValue
    return switch row.state {
    case .regressed, .failed: row.isProven == true ? ink.dim(state) : ink.red(state)
    case .improved: ink.green(state)
    case .inconclusive: ink.bold(state)
    case .unchanged: ink.dim(state)
    }
  }

  private static func line(_ texts: [String], _ widths: [Int]) -> String {
    let padded = zip(texts, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
    let text = "  " + padded.joined()
    return texts.last == "" ? String(text.reversed().drop { $0 == " " }.reversed()) : text
  }
}
