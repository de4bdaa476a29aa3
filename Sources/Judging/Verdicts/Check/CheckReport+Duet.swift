/// A check of two builds that were measured interleaved.
extension CheckReport {
  /// How both builds were measured, and which they are.
  public struct DuetTerms: Sendable {
    public var base: String
    public var candidate: String
    /// What is compared, such as `processor time`.
    public var measure: String
    /// The smallest slow-down that must be found, as a share of 1.
    public var margin: Double
    /// No cell is decided on fewer.
    public var fewestPairs: Int
    public var seconds: Double
    /// When a round was left out for both builds.
    public var dropRule: String
    /// What the rows do not say although one would expect it of them, each as a sentence.
    public var remarks: [String]
    /// What the machine was like meanwhile, as far as it bears on the numbers: a line each.
    public var conditions: [String]
    /// How many links of each build took turns that differ in where code lies.
    public var layouts: Int
    /// What the check says nothing of, with the option that does; each as a part of a sentence.
    public var notLookedAt: [String]

    public init(
      base: String, candidate: String, measure: String, margin: Double, fewestPairs: Int, seconds: Double,
      dropRule: String, remarks: [String] = [], conditions: [String] = [], layouts: Int = 1,
      notLookedAt: [String] = []
    ) {
      self.base = base
      self.candidate = candidate
      self.measure = measure
      self.margin = margin
      self.fewestPairs = fewestPairs
      self.seconds = seconds
      self.dropRule = dropRule
      self.remarks = remarks
      self.conditions = conditions
      self.layouts = layouts
      self.notLookedAt = notLookedAt
    }
  }

  /// - Parameter memory: what processes of both builds held of it.
  public init(_ cells: [CheckedCell], _ terms: DuetTerms, memory: [CheckRow] = []) {
    let rows = cells.map(CheckRow.init)
    var notes = [
      "change: \(terms.measure) of \(terms.candidate) against \(terms.base), the mean of the pairs, ± what this run could not distinguish. A slow-down of \(Self.percent(terms.margin)) must be found, and a change is confirmed on other processes before it is called one."
    ]
    if let resolution = rows.filter({ $0.isProven == nil }).compactMap(\.numbers.resolution).max() {
      notes.append(
        "The smallest difference that this run could resolve in every cell: \(Self.percent(resolution)).")
    }
    let (left, rounds) = (
      cells.reduce(0) { $0 + $1.disturbedRounds }, cells.reduce(0) { $0 + $1.rounds }
    )
    let taken =
      "\(Plural.counted(cells.reduce(0) { $0 + $1.pairs }, "pair")) in \(Int(terms.seconds.rounded())) s"
    notes.append(
      rounds == 0
        ? "\(taken)."
        : "\(taken); \(left) of \(Plural.counted(rounds, "round")) left out as disturbed (\(terms.dropRule)); a cell that lacks more than \(NumberText.percent(AnalysisOptions.defaultMostDisturbedShare)) of its rounds is inconclusive."
    )
    if !terms.notLookedAt.isEmpty {
      notes.append("Not looked at: \(terms.notLookedAt.joined(separator: "; ")).")
    }
    notes += [Self.layouts(cells, terms)].compactMap(\.self)
    notes.insert(contentsOf: terms.conditions, at: 0)
    if let advice = DuetAdvice(cells, terms)?.text { notes.insert(advice, at: 0) }
    self.init(
      against: terms.base, measure: terms.measure, rows + memory,
      doubts: cells.compactMap { Self.doubt($0, terms) },
      remark: terms.remarks.isEmpty ? nil : terms.remarks.joined(separator: " "), notes: notes)
  }

  /// What links that differ in nothing but where code lies do to what is compared; nil: nothing is known, and little is asked.
  private static func layouts(_ cells: [CheckedCell], _ terms: DuetTerms) -> String? {
    guard terms.layouts > 1 else {
      return terms.margin < 0.02
        ? "Two builds are two places for the same code, which alone may move a tight loop by a per cent or two: `--layouts 8` links each side so often."
        : nil
    }
    let spreads = cells.filter { $0.role == .control }.compactMap(\.first.spread)
    guard let most = spreads.max() else { return nil }
    return
      "One build against itself, linked anew, differs by ± \(percent(most)) from pair to pair: what the place of code and noise do together."
  }

  /// Why a check with this proof must not be believed; nil: it holds.
  private static func doubt(_ cell: CheckedCell, _ terms: DuetTerms) -> String? {
    guard !cell.isProven, cell.state != .failed else { return nil }
    let said = cell.state == .inconclusive ? "is not decided" : "is called \(cell.state.rawValue)"
    return cell.role == .control
      ? "the A/A control, \(cell.key.contender) of the same build on both sides, \(said)."
      : "the positive control, \(cell.key.contender) made slower by \(percent(terms.margin)), \(said)."
  }
}

extension CheckRow {
  init(_ cell: CheckedCell) {
    let check = cell.last
    let uncertainty = check.resolution.map { " ± " + CheckReport.percent($0) } ?? ""
    self.init(
      key: cell.key, state: cell.state,
      change: check.ratio.map { CheckReport.percent($0 - 1, isSigned: true) + uncertainty } ?? "",
      evidence: Plural.counted(cell.pairs, "pair"),
      reason: cell.role == .subject || cell.state == .failed ? cell.reason : nil,
      numbers: Numbers(
        ratio: check.ratio, resolution: check.resolution, pairs: cell.pairs,
        rounds: cell.rounds, disturbedRounds: cell.disturbedRounds),
      role: cell.role, isProven: cell.role == .subject ? nil : cell.isProven)
  }
}
