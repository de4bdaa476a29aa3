import Foundation
import Statistics

/// What became of one cell from one recorded run to the other, through the reference that both ran beside it.
struct RecordedChange: Hashable {
  let key: CellKey
  let base: GenerationRatios
  let candidate: GenerationRatios

  var logRatio: Double { candidate.mean - base.mean }

  /// The variance of the change.
  ///
  /// - Parameter betweenRuns: what each run adds, as a multiple of its generations' spread.
  func variance(betweenRuns: Double) -> Double {
    part(base, betweenRuns) + part(candidate, betweenRuns)
  }

  /// Welch's, but at most ``RecordedRule/mostDegreesOfFreedom``.
  var degreesOfFreedom: Double {
    let parts = [base, candidate].map { (part($0, 0), Double($0.values.count - 1)) }
    let sum = parts.reduce(0) { $0 + $1.0 }
    let welch = sum * sum / parts.reduce(0) { $0 + $1.0 * $1.0 / $1.1 }
    return min(welch, RecordedRule.mostDegreesOfFreedom)
  }

  func pValue(betweenRuns: Double) -> Double {
    StudentT(degreesOfFreedom: degreesOfFreedom).twoSidedPValue(
      logRatio / variance(betweenRuns: betweenRuns).squareRoot())
  }

  /// How far from the estimate the true change may lie, as a log-ratio.
  func reach(betweenRuns: Double, significance: Double) -> Double {
    StudentT(degreesOfFreedom: degreesOfFreedom).quantile(twoSided: significance)
      * variance(betweenRuns: betweenRuns).squareRoot()
  }

  private func part(_ side: GenerationRatios, _ betweenRuns: Double) -> Double {
    side.variance * (1 / Double(side.values.count) + betweenRuns * betweenRuns)
  }
}

extension RecordedChange {
  /// What each run adds to what its generations show, as a multiple of their spread: estimated from all cells at once,
  /// most of which are taken to be unchanged.
  ///
  /// The median of the standardised changes is made what it is for normal values; a change of less than half of the cells
  /// cannot hide itself by it. Never below what two runs of one build usually show, and where the cells are few, what
  /// they show at worst.
  static func betweenRuns(_ changes: [RecordedChange]) -> Double {
    guard changes.count >= RecordedRule.fewCells else { return RecordedRule.betweenRunsOfFewCells }
    let normalMedian = 0.674_49
    func median(_ betweenRuns: Double) -> Double {
      Quantiles.median(
        of: changes.map { abs($0.logRatio) / $0.variance(betweenRuns: betweenRuns).squareRoot() }) ?? 0
    }
    var (low, high) = (RecordedRule.leastBetweenRuns, RecordedRule.leastBetweenRuns)
    guard median(low) > normalMedian else { return low }
    repeat { high *= 2 } while median(high) > normalMedian
    for _ in 0..<50 {
      let middle = (low + high) / 2
      if median(middle) > normalMedian { low = middle } else { high = middle }
    }
    return high
  }
}
