import Foundation
import Statistics

/// What checks of one measure find on this machine and in what time: estimated from pairs of this build against itself.
public struct CheckOutlook: Sendable {
  /// What is compared, and where, such as `processor time on processor 1`.
  public let measure: String
  /// Whether that is processor time, not time on the clock.
  public let isCost: Bool
  /// The pairs, by contender; the cells of a check are taken to spread as these in turn.
  public let spreads: [Spread]
  /// How many cells a check without options but its measure has.
  public let cells: Int
  /// The slow-down that it must find, as a share of 1, and its budget.
  public let margin: Double
  public let budgetSeconds: Double

  public init(
    measure: String, isCost: Bool, spreads: [Spread], cells: Int, margin: Double, budgetSeconds: Double
  ) {
    (self.measure, self.isCost, self.spreads) = (measure, isCost, spreads)
    (self.cells, self.margin, self.budgetSeconds) = (cells, margin, budgetSeconds)
  }

  /// A check decides nothing on fewer.
  public var fewestPairs: Int { SequentialTest(margin: margin).rule.fewestPairs }
  public var pairs: Int { spreads.map(\.logRatios.count).min() ?? 0 }

  /// Whether there are pairs enough to tell.
  public var isKnown: Bool { pairs >= fewestPairs }

  /// Whether such a check is decided within its budget.
  public var isDecided: Bool { seconds(toFind: margin).map { $0 <= budgetSeconds } ?? false }

  /// The budget with which a slow-down of one cell is found and confirmed, and the other cells are called unchanged; nil: none is
  /// enough, or it is not known.
  ///
  /// Beside the cells there are the check's two controls.
  public func seconds(toFind margin: Double) -> Double? {
    guard isKnown else { return nil }
    let rule = SequentialTest(margin: margin).rule
    var (toFind, toDismiss) = (0.0, 0.0)
    for spread in spreads {
      guard let deviation = spread.deviation, let nanoseconds = spread.pairNanoseconds else { return nil }
      let pairs = rule.pairs(deviation: deviation)
      // As much more would be bad luck, and is not to end the check undecided.
      guard pairs.toFind * rule.badLuck <= Double(rule.mostPairs) else { return nil }
      toFind = max(toFind, pairs.toFind * nanoseconds / 1e9)
      toDismiss += pairs.toDismiss * nanoseconds / 1e9 / Double(spreads.count)
    }
    return Double(cells + 1) * toDismiss + 2 * toFind
  }

  /// The smallest slow-down that is found within a budget, of some usual ones, as a share of 1; nil: none is.
  public func smallestMargin(within seconds: Double) -> Double? {
    Self.margins.first { self.seconds(toFind: $0).map { $0 <= seconds } ?? false }
  }

  static let margins = [
    0.005, 0.0075, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3,
    0.4, 0.5,
  ]
}

extension SequentialTest {
  /// The test of a check that must find so large a slow-down, a share of 1: a third of it is as good as nothing.
  public init(margin: Double) {
    self.init(Rule(negligible: log1p(margin / 3), relevant: log1p(margin)))
  }
}

extension SequentialTest.Rule {
  /// By how much more pairs 19 of 20 checks take than the expected evidence needs. With it, estimates lie within 15 % of what 200
  /// simulated checks took, for deviations from a third of the relevant difference to all of it, and 2 to 16 cells.
  fileprivate var badLuck: Double { 1.6 }

  /// About how many pairs it takes to find a difference that is just relevant, and to dismiss none, where the logarithms of the pairs'
  /// ratios have this standard deviation.
  fileprivate func pairs(deviation: Double) -> (toFind: Double, toDismiss: Double) {
    func pairs(_ evidence: Double, _ distance: Double) -> Double {
      max(
        Double(fewestPairs), badLuck * 2 * evidence / log1p(distance * distance / (deviation * deviation)))
    }
    return (
      pairs(log((1 - miss) / falseAlarm), relevant - negligible),
      pairs(-log(miss / (1 - falseAlarm)), relevant)
    )
  }
}

/// What pairs of processes of one and the same build differ by.
public struct Spread: Sendable {
  public let contender: String
  public private(set) var pairs: PairRatios
  private var nanoseconds = 0.0

  /// - Parameter level: what stands for the samples of a pair, as in the check that is estimated.
  public init(_ contender: String, _ level: SampleLevel = .lowQuarter) {
    self.contender = contender
    pairs = PairRatios(level: level)
  }

  /// - Parameters:
  ///   - base: nanoseconds per post, a sample each.
  ///   - disturbed: how often a sample of each side was left out.
  ///   - nanoseconds: how long the pair took in all, its processes' starts included.
  public mutating func add(base: [Double], candidate: [Double], disturbed: Int, nanoseconds: Double) {
    self.nanoseconds += nanoseconds
    pairs.add(base: base, candidate: candidate, disturbed: disturbed)
  }

  /// Of one side to the other, a pair each.
  public var logRatios: [Double] { pairs.logRatios }

  /// What a pair takes, its processes' starts included; nil of none.
  public var pairNanoseconds: Double? {
    let taken = logRatios.count + pairs.empty
    return taken == 0 ? nil : nanoseconds / Double(taken)
  }

  /// The standard deviation of a pair as the test of a check sees it, with outliers pulled in; nil of fewer than two.
  public var deviation: Double? { Moments.variance(of: SequentialTest.clipped(logRatios))?.squareRoot() }
}
