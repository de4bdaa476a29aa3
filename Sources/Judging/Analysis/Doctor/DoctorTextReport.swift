/// What the doctor says, for a terminal, at most 80 columns wide.
public enum DoctorTextReport {
  public static func text(_ report: DoctorReport, usesColour: Bool = false) -> String {
    let ink = Ink(isOn: usesColour)
    let tables = DoctorTables(readings: report.readings)
    var blocks: [[String]] = []
    if !report.readings.isReleaseBuild {
      blocks.append(TextReport.wrap("WARNING: debug build: these figures say nothing").map(ink.red))
    }
    blocks.append(TextReport.wrap(report.headline).map(ink.bold))
    if !report.readings.modes.isEmpty {
      blocks.append(
        [ink.dim(line(DoctorTables.spreadHeader))]
          + tables.spreads.flatMap { mode, rows in
            ["  " + mode] + rows.flatMap { named("    " + $0[0], Array($0.dropFirst())) }
          })
    }
    if !tables.margins.isEmpty {
      blocks.append([ink.dim(line(tables.marginHeader))] + tables.margins.map(line))
      blocks.append(TextReport.wrap("  " + report.method, indent: 2))
    }
    blocks.append(report.findings.filter { $0.seen != nil }.flatMap { lines($0, ink) })
    let hidden = report.findings.filter { $0.seen == nil }.map(\.subject)
    if !hidden.isEmpty {
      blocks.append(TextReport.wrap("  Not visible here: \(hidden.joined(separator: ", ")).", indent: 2))
    }
    blocks.append(["  \(DoctorReport.wholeSeconds(report.readings.seconds)) in all"])
    return blocks.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  private static func lines(_ finding: Finding, _ ink: Ink) -> [String] {
    let paint: (String) -> String =
      switch finding.severity {
      case .problem: ink.red
      case .note: ink.bold
      case .ok: ink.dim
      }
    let severity = finding.severity.rawValue
    let head = "  " + severity + String(repeating: " ", count: 9 - severity.count)
    var lines = TextReport.wrap("\(head)\(finding.subject): \(finding.seen ?? "")", indent: 11)
    lines[0] = "  " + paint(severity) + lines[0].dropFirst(2 + severity.count)
    return lines + (finding.advice.map { wrapped("           → \($0)", indent: 13) } ?? [])
  }

  /// Commands, which stand between backquotes, stay whole, so that they can be copied.
  private static func wrapped(_ text: String, indent: Int) -> [String] {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false)
    let glued = parts.enumerated().map { index, part in
      index % 2 == 0 ? String(part) : String(part.replacing(" ", with: "\u{A0}"))
    }
    return TextReport.wrap(glued.joined(separator: "`"), indent: indent).map {
      $0.replacing("\u{A0}", with: " ")
    }
  }

  /// A name that leaves no room for the rest has a line of its own.
  private static func named(_ name: String, _ values: [String]) -> [String] {
    name.count < nameWidth ? [line([String(name.dropFirst(2))] + values)] : [name, line([""] + values)]
  }

  private static let nameWidth = 38

  private static func line(_ texts: [String]) -> String {
    let name = "  " + texts[0]
    // The last of a table of margins is the widest.
    let widths = texts.count == 5 ? [8, 8, 9, 15] : [7, 15, 14]
    return name + String(repeating: " ", count: max(0, nameWidth - name.count))
      + zip(texts.dropFirst(), widths).map { text, width in
        String(repeating: " ", count: max(1, width - text.count)) + text
      }.joined()
  }
}
