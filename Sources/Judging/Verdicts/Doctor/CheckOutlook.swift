import Foundation
import Statistics

/// Predicts what slow-down a check would find on this machine, and in what time, from pairs of this build with itself.
public struct CheckOutlook: Sendable {
  /// The quantity that is compared, such as `processor time on processor 1`.
  public let measure: String
  /// Whether the measure is processor time rather than wall time.
  public let isCost: Bool
  /// How much pairs vary, for each measured contender. The estimate assumes that all pairs of a check vary as much.
  public let spreads: [Spread]
  /// The number of comparisons in a check with default options.
  public let cells: Int
  /// The slow-down that must be found, as a share: 0.03 is 3 %.
  public let margin: Double
  public let budgetSeconds: Double

  public init(
    measure: String, isCost: Bool, spreads: [Spread], cells: Int, margin: Double, budgetSeconds: Double
  ) {
    (self.measure, self.isCost, self.spreads) = (measure, isCost, spreads)
    (self.cells, self.margin, self.budgetSeconds) = (cells, margin, budgetSeconds)
  }

  /// The smallest number of pairs that a check decides on.
  public var fewestPairs: Int { SequentialTest(margin: margin).rule.fewestPairs }
  public var pairs: Int { spreads.map(\.logRatios.count).min() ?? 0 }

  /// Whether there are enough pairs for an estimate.
  public var isKnown: Bool { pairs >= fewestPairs }

  /// Whether a check with this margin is decided within its budget.
  public var isDecided: Bool { seconds(toFind: margin).map { $0 <= budgetSeconds } ?? false }

  /// The seconds that a check needs to find and confirm one slow-down and to decide the rest; `nil` if no time suffices, or unknown.
  public func seconds(toFind margin: Double) -> Double? {
    guard isKnown else { return nil }
    let rule = SequentialTest(margin: margin).rule
    var (toFind, toDismiss) = (0.0, 0.0)
    for spread in spreads {
      guard let deviation = spread.pairs.deviation, let nanoseconds = spread.pairNanoseconds
      else { return nil }
      let pairs = rule.pairs(deviation: deviation)
      // One check in 20 needs more than `badLuck` times as many pairs. The limit of pairs must allow for that factor.
      guard pairs.toFind * rule.badLuck <= Double(rule.mostPairs) else { return nil }
      toFind = max(toFind, pairs.toFind * nanoseconds / 1e9)
      toDismiss += pairs.toDismiss * nanoseconds / 1e9 / Double(spreads.count)
    }
    return Double(cells + 1) * toDismiss + 2 * toFind
  }

  /// The smallest of ``margins`` that a check finds within this budget; `nil` if it finds none.
  public func smallestMargin(within seconds: Double) -> Double? {
    Self.margins.first { self.seconds(toFind: $0).map { $0 <= seconds } ?? false }
  }

  static let margins = [
    0.005, 0.0075, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3,
    0.4, 0.5,
  ]
}

extension SequentialTest {
  /// The test of a check that must find a slow-down of `margin`, where 0.03 is 3 %. A third of the margin is negligible.
  public init(margin: Double) { self.init(Rule(negligible: log1p(margin / 3), relevant: log1p(margin))) }
}

extension SequentialTest.Rule {
  /// 19 of 20 checks need at most the expected number of pairs times this factor. In simulations, the estimate was at most 15 % wrong.
  fileprivate var badLuck: Double { 1.6 }

  /// The number of pairs needed to find a relevant difference, and to exclude one, at this standard deviation of log-ratios.
  fileprivate func pairs(deviation: Double) -> (toFind: Double, toDismiss: Double) {
    func pairs(_ evidence: Double, _ distance: Double) -> Double {
      max(Double(fewestPairs), badLuck * 2 * evidence / log1p(distance * distance / (deviation * deviation)))
    }
    return (
      pairs(log((1 - miss) / falseAlarm), relevant - negligible),
      pairs(-log(miss / (1 - falseAlarm)), relevant)
    )
  }
}

/// How much pairs of one build with itself vary.
public struct Spread: Sendable {
  public let contender: String
  public private(set) var pairs: PairRatios
  private var nanoseconds = 0.0

  public init(_ contender: String, _ level: SampleLevel = .lowQuarter) {
    self.contender = contender
    pairs = PairRatios(level: level)
  }

  /// - Parameters:
  ///   - base: the nanoseconds per job of each sample of one side. `candidate` has those of the other side.
  ///   - disturbed: the number of rounds that were left out as disturbed.
  ///   - nanoseconds: the duration of the whole pair, including the start of its processes.
  public mutating func add(base: [Double], candidate: [Double], disturbed: Int, nanoseconds: Double) {
    self.nanoseconds += nanoseconds
    pairs.add(base: base, candidate: candidate, disturbed: disturbed)
  }

  public var logRatios: [Double] { pairs.logRatios }

  /// The mean duration of a pair, with the start of its processes; `nil` if there are no pairs.
  public var pairNanoseconds: Double? {
    let taken = logRatios.count + pairs.empty
    return taken == 0 ? nil : nanoseconds / Double(taken)
  }
}
