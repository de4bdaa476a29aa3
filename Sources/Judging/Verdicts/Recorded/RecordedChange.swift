import Foundation
import Results
import Statistics

/// The change of a cell between two recorded runs, as a ratio to the reference of each.
struct RecordedChange {
  let key: CellKey
  let base: GenerationRatios
  let candidate: GenerationRatios

  var logRatio: Double { candidate.mean - base.mean }

  /// The variance of the change.
  ///
  /// - Parameter betweenRuns: the share of each run, as a multiple of its generations' spread.
  func variance(betweenRuns: Double) -> Double { part(base, betweenRuns) + part(candidate, betweenRuns) }

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

  func reach(betweenRuns: Double, significance: Double) -> Double {
    StudentT(degreesOfFreedom: degreesOfFreedom).quantile(twoSided: significance)
      * variance(betweenRuns: betweenRuns).squareRoot()
  }

  private func part(_ side: GenerationRatios, _ betweenRuns: Double) -> Double {
    side.variance * (1 / Double(side.values.count) + betweenRuns * betweenRuns)
  }
}

extension RecordedChange {
  /// The variation between runs beyond that of their generations, as a multiple of the generations' spread.
  ///
  /// It makes the median of the standardised changes that of normal values, so a change of less than half of the cells cannot hide
  /// itself. Few cells use the worst value that two runs of one build show.
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

/// The bounds of a change between two recorded runs. Measured: Documentation/Checking.md, “Recorded runs”.
enum RecordedRule {
  /// The chance of any false *regressed* or *improved* in a comparison.
  static let familyWiseError = 0.01
  /// Fewer generations a side do not show how processes differ.
  static let fewestGenerations = 3
  static let usualGenerations = 6
  /// Cells do not share one spread exactly, so large values are likelier than the generations suggest.
  static let mostDegreesOfFreedom = 6.0
  /// The least difference between processes, as a log-ratio.
  static let smallestSpread = 0.003
  /// The least variation between runs, as a multiple of their generations' spread: the usual one of two runs of one build.
  static let leastBetweenRuns = 0.3
  /// The same for few cells, which cannot show it.
  static let betweenRunsOfFewCells = 0.6
  static let fewCells = 8
  /// A run that lost more than this share of its samples decides nothing.
  static let mostDisturbed = AnalysisOptions.defaultMostDisturbedShare
}

/// A contender's time as a ratio to the reference's, one for each generation of a run: processes differ, samples do not.
struct GenerationRatios {
  /// Log-ratios of the means of the fastest quarters, over common rounds; in the order of the generations.
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

  var variance: Double {
    max(Moments.variance(of: values) ?? .nan, RecordedRule.smallestSpread * RecordedRule.smallestSpread)
  }
}

extension CountedCell {
  /// Equal counts of fewer posts prove nothing: in 6 714 comparisons of runs of one build, 60 single posts differed.
  private static let fewestPosts = 20

  /// The counting passes of a recorded cell, one of each process, per post; nil: too few passes or posts.
  init?(recorded cell: CellSamples, _ quantity: CountedQuantity) {
    self.init(cell.key)
    let passes = cell.all.filter { $0.outcome == .measured && quantity.count(of: $0) != nil }
      .keyed { (RoundKey($0).process, $0) }.values
    guard passes.count >= 2, passes.reduce(0, { $0 + $1.iterations }) >= Self.fewestPosts else { return nil }
    for pass in passes {
      guard let perPost = pass.perPost(quantity.count(of: pass)) else { return nil }
      // Posts that differ add the whole numbers around their mean and the nearest, which repeat only if all posts are equal.
      for rounding in [FloatingPointRoundingRule.down, .toNearestOrAwayFromZero, .up] {
        add([[quantity: Int(perPost.rounded(rounding))]])
      }
    }
    passCount = passes.count
  }
}
