import Foundation
import Results
import Statistics

/// The change of a contender's time between two recorded runs. In each run, the time is relative to the reference's.
struct RecordedChange {
  let key: CellKey
  let base: GenerationRatios
  let candidate: GenerationRatios

  var logRatio: Double { candidate.mean - base.mean }

  /// - Parameter betweenRuns: the variation between runs, as a multiple of the spread of their processes.
  func variance(betweenRuns: Double) -> Double { part(base, betweenRuns) + part(candidate, betweenRuns) }

  /// Welch's degrees of freedom, but at most ``RecordedRule/mostDegreesOfFreedom``.
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
  /// The variation between runs that differences between processes do not explain, as a multiple of the processes' spread.
  ///
  /// The multiple makes the median of the standardised changes equal to that of normal values. So real changes of fewer than half of all
  /// times cannot hide themselves. For few times, the multiple is the largest that two runs of one build showed.
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

/// The constants of comparisons of two recorded runs. Documentation/Checking.md, “Recorded runs”, describes the measurements.
enum RecordedRule {
  /// The probability of one or more false *regressed* or *improved* in a comparison.
  static let familyWiseError = 0.01
  /// The fewest generations in each run that show how processes differ.
  static let fewestGenerations = 3
  static let usualGenerations = 6
  /// The upper limit of the degrees of freedom. Spreads vary, so extreme values of t are likelier than the number of generations suggests.
  static let mostDegreesOfFreedom = 6.0
  /// The smallest assumed standard deviation between processes, as a log-ratio.
  static let smallestSpread = 0.003
  /// The smallest assumed variation between runs, as a multiple of their processes' spread: what two runs of one build usually show.
  static let leastBetweenRuns = 0.3
  /// The variation between runs that is assumed if there are too few times to estimate the variation.
  static let betweenRunsOfFewCells = 0.6
  static let fewCells = 8
  /// A run decides nothing if more than this share of its samples was dropped.
  static let mostDisturbed = AnalysisOptions.defaultMostDisturbedShare
}

/// The ratio of a contender's time to the reference's, one for each generation of a run, because samples of a process are correlated.
struct GenerationRatios {
  /// One log-ratio for each generation: of both contenders' means of the fastest quarter of samples, from the rounds that both have.
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
  /// Counts of fewer jobs (posts) are not called exact: in 6 714 comparisons of runs of one build, 60 counts of single jobs differed.
  private static let fewestPosts = 20

  /// Reads a recorded run's counts per job. Each process is one pass. Returns `nil` if there are too few passes or jobs.
  init?(recorded cell: CellSamples, _ quantity: CountedQuantity) {
    self.init(cell.key)
    let passes = cell.all.filter { $0.outcome == .measured && quantity.count(of: $0) != nil }
      .keyed { (RoundKey($0).process, $0) }.values
    guard passes.count >= 2, passes.reduce(0, { $0 + $1.iterations }) >= Self.fewestPosts else { return nil }
    for pass in passes {
      guard let perPost = pass.perPost(quantity.count(of: pass)) else { return nil }
      // A mean per job is rounded in three ways. The results agree only if the mean is a whole number, as it is if all jobs are equal.
      for rounding in [FloatingPointRoundingRule.down, .toNearestOrAwayFromZero, .up] {
        add([[quantity: Int(perPost.rounded(rounding))]])
      }
    }
    passCount = passes.count
  }
}
