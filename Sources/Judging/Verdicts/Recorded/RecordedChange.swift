import Foundation
import Results
import Statistics

/// What became of one cell from one recorded run to the other, through the reference that both ran beside it.
struct RecordedChange {
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

/// What it takes to call a change between two recorded runs one.
///
/// The constants were measured: Documentation/Checking.md, “Recorded runs”.
enum RecordedRule {
  /// The chance of any false *regressed* or *improved* in a whole comparison.
  static let familyWiseError = 0.01
  /// Fewer generations a side say nothing of how processes differ.
  static let fewestGenerations = 3
  /// As many as a run has unless it is told otherwise.
  static let usualGenerations = 6
  /// Cells do not share one spread exactly, which makes large values likelier than the generations alone would.
  static let mostDegreesOfFreedom = 6.0
  /// One process never differs from the next by less, as a log-ratio.
  static let smallestSpread = 0.003
  /// How much a run adds at least to what its generations show, as a multiple of their spread: what two runs of the same
  /// build usually show.
  static let leastBetweenRuns = 0.3
  /// The same where so few cells are compared that they cannot tell.
  static let betweenRunsOfFewCells = 0.6
  static let fewCells = 8
  /// A run of which more was disturbed decides nothing, as a scenario within a run.
  static let mostDisturbed = AnalysisOptions.defaultMostDisturbedShare
}

/// How a contender's time relates to the reference's in each generation of a run: one number for each set of fresh
/// processes, since processes are what differs, not samples.
struct GenerationRatios {
  /// Log-ratios of the means of the fastest quarters, over the rounds that both have; in the order of the generations.
  let values: [Double]

  init(_ values: [Double]) { self.values = values }

  init(_ cell: CellSamples, to reference: CellSamples) {
    values = cell.processes.compactMap { process in
      func taken(_ samples: SampleSelection) -> SampleSelection {
        samples.only { RoundKey($0).process == process }
      }
      let (mine, others) = (taken(cell.counted), taken(reference.counted))
      let rounds = Set(mine.map(\.round)).intersection(others.map(\.round))
      func fastest(_ samples: SampleSelection) -> Double? {
        SampleLevel.lowQuarter.of(
          samples.filter { rounds.contains($0.round) }.compactMap(\.wallNanoseconds).map(Double.init))
      }
      guard let mine = fastest(mine), let others = fastest(others), mine > 0, others > 0 else { return nil }
      return LogRatio.of(mine, to: others)
    }
  }

  var mean: Double { Moments.mean(of: values) ?? .nan }

  /// How one process differs from the next.
  var variance: Double {
    max(Moments.variance(of: values) ?? .nan, RecordedRule.smallestSpread * RecordedRule.smallestSpread)
  }
}

extension CountedCell {
  /// Two equal counts of single posts are no proof: in 6 714 comparisons of runs of one build, 60 differed.
  private static let fewestPosts = 20

  /// What the counting passes of a recorded cell found in a post, one of each process; nil: too few passes or posts to say anything.
  init?(recorded cell: CellSamples, _ quantity: CountedQuantity) {
    self.init(cell.key)
    let passes = cell.all.filter { $0.outcome == .measured && quantity.count(of: $0) != nil }
      .keyed { (RoundKey($0).process, $0) }.values
    guard passes.count >= 2, passes.reduce(0, { $0 + $1.iterations }) >= Self.fewestPosts else { return nil }
    for pass in passes {
      guard let perPost = pass.perPost(quantity.count(of: pass)) else { return nil }
      // Of posts that differ, the whole numbers around their mean, and the nearest: that repeats only if all are one.
      for rounding in [FloatingPointRoundingRule.down, .toNearestOrAwayFromZero, .up] {
        add([[quantity: Int(perPost.rounded(rounding))]])
      }
    }
    passCount = passes.count
  }
}
