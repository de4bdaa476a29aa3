import Foundation
import Statistics

/// What would have decided a check of two builds that did not decide all, as far as its own pairs tell.
struct DuetAdvice {
  /// Seconds; nil: more of them would not help, or there is nothing to tell it from.
  let budget: Double?
  /// A share of 1; nil: the check's own is not what keeps it from deciding.
  let margin: Double?
  private let pairs: Int

  /// To tell nothing from the margin and a third of it from that, the pairs may leave open two thirds of it.
  private static let usableShare = 2.0 / 3
  /// From which share of the margin on an undecided cell looks as if it had changed, and had to be confirmed.
  private static let suspiciousShare = 2.0 / 3

  /// nil: all is decided, or what is not is so for another reason.
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
      // What was found is measured once more, which takes as much again.
      return needed - have + (isSuspicious && cell.confirmation == nil && cell.role == .subject ? needed : 0)
    }
    let isHopeless = undecided.contains { $0.last.verdict == .inconclusive }
    budget =
      isHopeless || pairs == 0
      ? nil
      : terms.seconds * (1 + lacking.reduce(0, +) / Double(pairs))
    let enough = undecided.filter { $0.last.logRatios.count >= terms.fewestPairs }
    margin = enough.compactMap(\.last.resolution).max().map { $0 / Self.usableShare }.flatMap {
      // A cell with too few pairs is not decided at any margin.
      $0 > terms.margin && $0 <= 1 && enough.count == undecided.count ? $0 : nil
    }
  }

  /// nil: there is nothing to advise.
  var text: String? {
    if pairs == 0 { return "Not one pair fitted into the budget: give it longer, with `--budget`." }
    let ways = [
      budget.map { "`--budget \(Self.round($0))s`" },
      margin.map { "`--margin \(Self.round($0 * 100))%`" },
    ].compactMap(\.self)
    return ways.isEmpty
      ? nil
      : "What is not decided would take about \(ways.joined(separator: ", or ")), as far as its pairs tell."
  }

  /// Upwards to two digits: an estimate.
  private static func round(_ value: Double) -> Int {
    var unit = 1.0
    while value / unit > 100 { unit *= 10 }
    return Int((value / unit).rounded(.up) * unit)
  }
}

extension CheckedCell {
  /// Whether nothing but more pairs, or a larger margin, would decide it.
  fileprivate var lacksPairs: Bool {
    state == .inconclusive && !isTooDisturbed && (last.verdict ?? .inconclusive) == .inconclusive
  }
}
