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
    let processes = Set(cell.counted.map { RoundKey($0) }).sorted().map(\.process).unique()
    values = processes.compactMap { process in
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

/// A count that was the same in every counting pass of a run: such a one says something at once, on any machine.
struct ExactCount {
  /// Two equal counts of single posts are no proof: in 6 714 comparisons of runs of one build, 60 differed.
  static let fewestPosts = 20

  let perPost: Int
  let passes: Int

  /// Whether a cell was counted often enough to say anything.
  private static func suffices(_ passes: [(total: Int, posts: Int)]) -> Bool {
    passes.count >= 2 && passes.reduce(0.0) { $0 + Double($1.posts) } >= Double(fewestPosts)
  }

  /// nil: not counted, not the same in every pass, no whole number a post, or in too few passes or posts.
  init?(_ quantity: CountedQuantity, of cell: CellSamples) {
    let passes = Self.passes(quantity, of: cell)
    guard Self.suffices(passes), let first = passes.first, first.total.isMultiple(of: first.posts) else {
      return nil
    }
    perPost = first.total / first.posts
    let perPost = perPost
    guard passes.allSatisfy({ $0.total.isMultiple(of: $0.posts) && $0.total / $0.posts == perPost }) else {
      return nil
    }
    self.passes = passes.count
  }

  /// Of each pass, once, however many samples tell of it.
  private static func passes(_ quantity: CountedQuantity, of cell: CellSamples) -> [(total: Int, posts: Int)]
  {
    var passes: [String: (total: Int, posts: Int)] = [:]
    for sample in cell.all where sample.outcome == .measured {
      guard let total = quantity.count(of: sample) else { continue }
      passes[RoundKey(sample).process] = (total, sample.iterations)
    }
    return Array(passes.values)
  }

  /// What became of it where it is no longer exact; nil: nothing that would matter.
  func lost(_ quantity: CountedQuantity, of cell: CellSamples) -> (
    state: CheckRow.State, counts: ClosedRange<Int>, median: Double
  )? {
    let passes = Self.passes(quantity, of: cell)
    let counts = passes.map { Double($0.total) / Double($0.posts) }
    guard Self.suffices(passes), let least = counts.min(), let most = counts.max(),
      let median = Quantiles.median(of: counts), median >= Double(perPost) + 0.5
    else { return nil }
    return (
      least >= Double(perPost + 1) ? .regressed : .inconclusive,
      Int(least.rounded(.down))...Int(most.rounded(.up)), median
    )
  }
}

extension CountedQuantity {
  func medianPerPost(of cell: CellSamples) -> Double? {
    Quantiles.median(of: cell.counted.compactMap { $0.perPost(count(of: $0)) })
  }
}

extension CheckRow {
  /// nil: the candidate's differs from the base's by nothing that would matter.
  init?(_ key: CellKey, _ quantity: CountedQuantity, base: ExactCount, inexactly cell: CellSamples) {
    guard let (state, counts, median) = base.lost(quantity, of: cell) else { return nil }
    self.init(
      key: key, quantity: quantity.rawValue, state: state,
      change: Self.change(from: base.perPost...base.perPost, to: counts),
      evidence: "\(base.passes) passes of the base",
      reason: state == .regressed ? nil : "it was the same in every pass of the base, and is not here.",
      numbers: Numbers(
        base: Double(base.perPost), candidate: median, lowest: counts.lowerBound, highest: counts.upperBound))
  }

  init(_ key: CellKey, _ quantity: CountedQuantity, base: ExactCount, candidate: ExactCount) {
    let difference = candidate.perPost - base.perPost
    self.init(
      key: key, quantity: quantity.rawValue,
      state: difference > 0 ? .regressed : difference < 0 ? .improved : .unchanged,
      change: Self.change(
        from: base.perPost...base.perPost, to: candidate.perPost...candidate.perPost),
      evidence: "\(base.passes) + \(candidate.passes) passes",
      numbers: Numbers(
        base: Double(base.perPost), candidate: Double(candidate.perPost),
        ratio: base.perPost > 0 ? Double(candidate.perPost) / Double(base.perPost) : nil))
  }
}
