/// A check for a terminal, at most 80 columns wide.
public enum CheckTextReport {
  public static func text(_ report: CheckReport, usesColour: Bool = false) -> String {
    let ink = Ink(isOn: usesColour)
    let rows = (report.cells + report.proofs).map { row($0, ink) }
    let blocks: [[String]] = [
      TextReport.wrap(report.headline), [ink.bold(header)] + rows.flatMap(\.self), closing(report),
    ]
    return blocks.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  private static let header = "  " + padded("cell", 46) + padded("change", 18) + padded("pairs", 0)

  private static func row(_ cell: CheckedCell, _ ink: Ink) -> [String] {
    let line = "  " + padded(name(cell), 46) + padded(change(cell.last), 18) + padded("\(cell.pairs)", 5)
    let state = cell.state.rawValue
    let painted =
      switch cell.state {
      case .regressed, .failed: cell.isProven && cell.role != .subject ? ink.dim(state) : ink.red(state)
      case .improved: ink.green(state)
      case .inconclusive: ink.bold(state)
      case .unchanged: ink.dim(state)
      }
    let reason = cell.first.failure.map { TextReport.wrap("      \($0)", indent: 6) } ?? []
    return [line + painted] + reason
  }

  static func name(_ cell: CheckedCell) -> String { "\(cell.key.scenario) \(cell.key.contender)" }

  /// Such as `+4.9 % ± 1.2 %`.
  static func change(_ check: CellCheck) -> String {
    guard let ratio = check.ratio else { return "" }
    let resolution = check.resolution.map { " ± " + CheckReport.percent($0) } ?? ""
    return CheckReport.percent(ratio - 1, isSigned: true) + resolution
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  static func closing(_ report: CheckReport) -> [String] {
    let terms = report.terms
    var lines = TextReport.wrap(
      "change: \(terms.measure) of \(terms.candidate) against \(terms.base), the mean of the pairs, ± what this run could not tell apart. A slow-down of \(CheckReport.percent(terms.margin)) must be found, and a regression is confirmed on other processes before it is called one."
    )
    if let resolution = report.resolution {
      lines += TextReport.wrap(
        "The smallest difference that this run could resolve in every cell: \(CheckReport.percent(resolution))."
      )
    }
    let empty = (report.cells + report.proofs).reduce(0) { $0 + $1.emptyPairs }
    lines += TextReport.wrap(
      "\((report.cells + report.proofs).reduce(0) { $0 + $1.pairs }) pairs in \(Int(terms.seconds.rounded())) s, \(empty) of them left out as disturbed."
    )
    return lines
  }
}
