import Foundation
import Results
import Statistics

extension CheckReport {
  /// The two compared builds, and how they were measured.
  public struct DuetTerms: FilledRecord {
    public var base = ""
    public var candidate = ""
    /// The quantity that is compared, such as `processor time`.
    public var measure = ""
    /// The smallest slow-down that must be found, as a share: 0.03 is 3 %.
    public var margin = 0.0
    /// The smallest number of pairs of samples for a verdict.
    public var fewestPairs = 0
    public var seconds = 0.0
    /// The rule that decides which rounds are disturbed and left out for both builds, as text.
    public var dropRule = ""
    /// Sentences about comparisons that the rows lack.
    public var remarks: [String] = []
    /// Properties of the machine that affect the numbers, one a line.
    public var conditions: [String] = []
    /// The number of executables linked from each build, which differ in the addresses of code. Their measurements are interleaved.
    public var layouts = 1
    /// Clauses that name what the check does not measure, and the option that measures it.
    public var notLookedAt: [String] = []

    public init() {}
  }

  /// - Parameter memory: rows about the memory that processes of both builds used.
  public init(_ cells: [CheckedCell], _ terms: DuetTerms, memory: [CheckRow] = []) {
    let rows = cells.map(CheckRow.init)
    var notes = [
      "change: \(terms.measure) of \(terms.candidate) against \(terms.base), as the mean over pairs of samples ± the smallest change that this run could find. A slow-down of \(Self.percent(terms.margin)) must be found. A change counts only after other processes confirm it."
    ]
    if let resolution = rows.filter({ $0.isProven == nil }).compactMap(\.numbers.resolution).max() {
      notes.append(
        "The smallest difference that this run could resolve in every cell: \(Self.percent(resolution)).")
    }
    let (left, rounds) = (cells.reduce(0) { $0 + $1.disturbedRounds }, cells.reduce(0) { $0 + $1.rounds })
    let taken =
      "\(Plural.counted(cells.reduce(0) { $0 + $1.pairs }, "pair")) in \(Int(terms.seconds.rounded())) s"
    notes.append(
      rounds == 0
        ? "\(taken)."
        : "\(taken); \(left) of \(Plural.counted(rounds, "round")) left out as disturbed (\(terms.dropRule)); a cell that lacks more than \(NumberText.percent(AnalysisOptions.defaultMostDisturbedShare)) of its rounds is inconclusive."
    )
    if !terms.notLookedAt.isEmpty {
      notes.append("Not checked: \(terms.notLookedAt.joined(separator: "; ")).")
    }
    notes += [Self.layouts(cells, terms)].compactMap(\.self)
    notes.insert(contentsOf: terms.conditions, at: 0)
    if let advice = DuetAdvice(cells, terms)?.text { notes.insert(advice, at: 0) }
    self.init(
      against: terms.base, measure: terms.measure, rows + memory,
      doubts: cells.compactMap { Self.doubt($0, terms) }.unique(),
      remark: terms.remarks.isEmpty ? nil : terms.remarks.joined(separator: " "), notes: notes)
  }

  /// A sentence about the effect of code addresses; `nil` if it is unknown and the margin is large.
  private static func layouts(_ cells: [CheckedCell], _ terms: DuetTerms) -> String? {
    guard terms.layouts > 1 else {
      return terms.margin < 0.02
        ? "Code addresses differ between two builds, which alone may change a tight loop by one or two per cent. `--layouts 8` links each side 8 times."
        : nil
    }
    let spreads = cells.filter { $0.role == .control }.compactMap(\.first.pairs.deviation)
    guard let most = spreads.max() else { return nil }
    return
      "A build and another link of it differ by ± \(percent(most)) from one pair of samples to the next, because of code addresses and noise."
  }

  /// Why a check with this control is not trustworthy; `nil` if the control passed.
  private static func doubt(_ cell: CheckedCell, _ terms: DuetTerms) -> String? {
    guard !cell.isProven, cell.state != .failed else { return nil }
    let said = cell.state == .inconclusive ? "is undecided" : "is \(cell.state.rawValue)"
    return cell.role == .control
      ? "the A/A control (\(cell.key.contender), the same build on both sides) must be unchanged, but \(said)."
      : "the positive control (\(cell.key.contender), made slower by \(percent(terms.margin))) must be regressed, but \(said)."
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

/// Estimates which longer budget or larger margin would decide the undecided comparisons, from the pairs of samples so far.
struct DuetAdvice {
  /// The budget in seconds; `nil` if more time would not help, or if there are too few pairs for an estimate.
  let budget: Double?
  /// The margin as a share: 0.03 is 3 %; `nil` if another margin would not help.
  let margin: Double?
  private let pairs: Int

  /// A verdict needs an interval of at most ± this share of the margin, because a third of the margin is negligible.
  private static let usableShare = 2.0 / 3
  /// An undecided difference above this share of the margin probably turns out to be a change, which further pairs must confirm.
  private static let suspiciousShare = 2.0 / 3

  init?(_ cells: [CheckedCell], _ terms: CheckReport.DuetTerms) {
    let undecided = cells.filter(\.lacksPairs)
    if undecided.isEmpty { return nil }
    let pairs = cells.reduce(0) { $0 + $1.pairs }
    self.pairs = pairs
    let usable = Self.usableShare * terms.margin
    let lacking = undecided.map { cell in
      let have = Double(cell.last.logRatios.count)
      let precise = cell.last.resolution.map { have * ($0 / usable) * ($0 / usable) } ?? 0
      let needed = max(precise, Double(terms.fewestPairs), have + 1)
      let isSuspicious = cell.last.ratio.map { abs($0 - 1) > Self.suspiciousShare * terms.margin } ?? false
      // Confirming a change takes as many pairs as finding it.
      return needed - have + (isSuspicious && cell.confirmation == nil && cell.role == .subject ? needed : 0)
    }
    let isHopeless = undecided.contains { $0.last.verdict == .inconclusive }
    budget =
      isHopeless || pairs == 0
      ? nil
      : terms.seconds * (1 + lacking.reduce(0, +) / Double(pairs))
    let enough = undecided.filter { $0.last.logRatios.count >= terms.fewestPairs }
    margin = enough.compactMap(\.last.resolution).max().map { $0 / Self.usableShare }.flatMap {
      // If a comparison has too few pairs, no margin gives it a verdict.
      $0 > terms.margin && $0 <= 1 && enough.count == undecided.count ? $0 : nil
    }
  }

  var text: String? {
    if pairs == 0 {
      return "The budget was too short to measure both builds even once: give a longer `--budget`."
    }
    let ways = [
      budget.map { "`--budget \(Self.round($0))s`" },
      margin.map { "`--margin \(Self.round($0 * 100))%`" },
    ].compactMap(\.self)
    return ways.isEmpty
      ? nil
      : "To decide the undecided cells, use about \(ways.joined(separator: ", or ")), estimated from their samples."
  }

  private static func round(_ value: Double) -> Int {
    var unit = 1.0
    while value / unit > 100 { unit *= 10 }
    return Int((value / unit).rounded(.up) * unit)
  }
}

extension CheckedCell {
  fileprivate var lacksPairs: Bool {
    state == .inconclusive && !isTooDisturbed && (last.verdict ?? .inconclusive) == .inconclusive
  }
}
