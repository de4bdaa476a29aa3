/// A check of two builds that were measured by turns.
extension CheckReport {
  /// How both builds were measured, and which they are.
  public struct DuetTerms: Sendable, Hashable {
    public var base: String
    public var candidate: String
    /// What is compared, such as `processor time`.
    public var measure: String
    /// The smallest slow-down that must be found, as a share of 1.
    public var margin: Double
    public var seconds: Double

    public init(base: String, candidate: String, measure: String, margin: Double, seconds: Double) {
      self.base = base
      self.candidate = candidate
      self.measure = measure
      self.margin = margin
      self.seconds = seconds
    }
  }

  public init(_ cells: [CheckedCell], _ terms: DuetTerms) {
    let rows = cells.map(CheckRow.init)
    var notes = [
      "change: \(terms.measure) of \(terms.candidate) against \(terms.base), the mean of the pairs, ± what this run could not tell apart. A slow-down of \(Self.percent(terms.margin)) must be found, and a regression is confirmed on other processes before it is called one."
    ]
    if let resolution = rows.filter({ $0.isProven == nil }).compactMap(\.numbers.resolution).max() {
      notes.append(
        "The smallest difference that this run could resolve in every cell: \(Self.percent(resolution)).")
    }
    let (pairs, empty) = (cells.reduce(0) { $0 + $1.pairs }, cells.reduce(0) { $0 + $1.emptyPairs })
    notes.append(
      "\(pairs) pairs in \(Int(terms.seconds.rounded())) s, \(empty) of them left out as disturbed.")
    self.init(
      against: terms.base, measure: terms.measure, rows,
      doubts: cells.compactMap { Self.doubt($0, terms) }, notes: notes)
  }

  /// Why a check with this proof must not be believed; nil: it holds.
  private static func doubt(_ cell: CheckedCell, _ terms: DuetTerms) -> String? {
    guard !cell.isProven, cell.state != .failed else { return nil }
    let said = cell.state == .inconclusive ? "is not decided" : "is called \(cell.state.rawValue)"
    return cell.role == .twin
      ? "\(cell.key.contender), the same build on both sides, \(said)."
      : "\(cell.key.contender), made slower by \(percent(terms.margin)), \(said)."
  }
}

extension CheckRow {
  init(_ cell: CheckedCell) {
    let check = cell.last
    let uncertainty = check.resolution.map { " ± " + CheckReport.percent($0) } ?? ""
    self.init(
      cell.key, cell.state,
      change: check.ratio.map { CheckReport.percent($0 - 1, isSigned: true) + uncertainty } ?? "",
      evidence: Headline.counted(cell.pairs, "pair"), reason: cell.first.failure,
      numbers: Numbers(
        ratio: check.ratio, resolution: check.resolution, pairs: cell.pairs, disturbedPairs: cell.emptyPairs),
      isProven: cell.role == .subject ? nil : cell.isProven)
  }
}
