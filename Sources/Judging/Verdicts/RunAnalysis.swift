import Results
import Statistics

/// The analysis of a run. No statistics include dropped samples, or contenders that were not measured.
public struct RunAnalysis: Sendable, Equatable {
  public let run: String
  public let reference: String
  /// The scenarios in the order in which the run measured them first.
  public let scenarios: [ScenarioReport]
  /// The contenders without any sample in a scenario where the run planned them.
  public let missing: [CellKey]
  public let sampleCount: Int
  public let droppedSamples: [DropReason: Int]
  /// The number of generations of worker processes whose samples statistics include.
  public let generations: Int
  /// How time grows with the fan-out, for scenarios that differ only in fan-out.
  public let growth: GrowthReport
  /// The rows of pairs.csv.
  public let pairs: [PairRecord]
  let means: ClassMeans
  public let equivalenceMargin: Double
  public let mostDisturbedShare: Double

  /// The rows of summary.csv.
  public var summaries: [CellSummary] { scenarios.flatMap { $0.cells.map(\.summary) } }

  /// The results of contenders that failed, timed out or were wrong.
  public var failed: [CellReport] {
    scenarios.flatMap { $0.cells.filter { $0.summary.outcome != .measured } }
  }
}

extension RunAnalysis {
  /// Holm's procedure decides all comparisons with the reference together, once for time and once for processor time. A scenario's other
  /// pairs of contenders are decided separately, and determine only ranks.
  public init(run: String, samples: [Sample], options: AnalysisOptions) {
    let names = SamplePlaces(samples)
    let cells = names.cells(of: samples)
    let inOrder = cells.values.inOrder.map(\.key)
    let places = inOrder.map(\.place).grouped()
    let contenders = inOrder.map(\.contender).unique()
    let planned =
      options.plannedCells?.map { names.key($0.contender, $0.scenario, $0.machine) }
      ?? places.flatMap { place in contenders.map { CellKey(contender: $0, place: place) } }
    let missing = planned.filter { cells[$0] == nil }
    let comparisons = CellComparisons(cells, options: options)

    self.run = run
    reference = options.reference
    sampleCount = samples.count
    droppedSamples = samples.reduce(into: [:]) { counts, sample in
      if let dropped = sample.dropped { counts[dropped, default: 0] += 1 }
    }
    generations = cells.values.generations
    equivalenceMargin = options.equivalenceMargin
    mostDisturbedShare = options.mostDisturbedShare
    self.missing = missing
    let scenarios = places.concurrentMap { place in
      ScenarioReport(
        place, cells: contenders.compactMap { cells[CellKey(contender: $0, place: place)] }, run: run,
        comparisons: comparisons, missing: missing.filter { $0.place == place }.map(\.contender),
        options: options)
    }
    self.scenarios = scenarios
    pairs = PairRecord.all(of: cells, run: run, options: options)
    (means, growth) = concurrently(
      { ClassMeans(cells, scenarios, comparisons, options: options) },
      { GrowthReport(run: run, cells: cells, scenarios: scenarios, options: options) })
  }

  /// The contenders, by scenario, that a run in progress leaves out of its next rounds.
  ///
  /// Contenders that will probably be decided soonest are measured first, then those that need many more samples, then decided ones with
  /// wide intervals. A reference or baseline is measured as long as any other contender of its scenario is.
  ///
  /// - Parameter generations: the fewest generations of worker processes before a contender may be left out, because processes differ.
  public static func settled(
    _ samples: [Sample], options: AnalysisOptions, generations: Int
  ) -> Set<CellKey> {
    if Set(samples.lazy.map(\.generation)).count < generations { return [] }
    let cells = SamplePlaces(samples).cells(of: samples)
    let comparisons = CellComparisons(cells, options: options, hasEnded: false)
    let compared = cells.values.filter {
      $0.outcome == .measured && $0.key != options.reference(of: $0.key) && !$0.isExternalBaseline
    }
    let claims = compared.map { cell in
      if cell.processes.count < generations { return Claim.decidable(nanoseconds: 0) }
      let reference = cells[options.reference(of: cell.key)]
      let round = cell.sampleNanoseconds + (reference?.sampleNanoseconds ?? 0)
      return min(
        Claim(comparisons.time[cell.key], roundNanoseconds: round),
        Claim(comparisons.processor[cell.key], roundNanoseconds: round))
    }
    guard let first = claims.min() else { return [] }
    let inTurn = Set(zip(compared, claims).filter { $1.isInTurn(first) }.map(\.0.key))
    let open = Set(inTurn.map(\.place))
    return Set(
      cells.keys.filter { key in
        key == options.reference(of: key) || ExternalBaseline.contains(key.contender)
          ? !open.contains(key.place) : !inTurn.contains(key)
      })
  }

  /// How urgently a comparison needs the remaining time, most urgent first.
  private enum Claim: Comparable {
    /// The comparison probably needs this much more time for a verdict.
    case decidable(nanoseconds: Double)
    case undecidable
    /// The comparison is decided and has an interval of this width.
    case decided(width: Double)

    init(_ comparison: Comparison?, roundNanoseconds: Double) {
      guard let comparison else {
        self = .decided(width: 0)
        return
      }
      // The comparison is decided at its next test (``Looks``) at the earliest.
      let rounds = max(comparison.roundsToResolve ?? 0, Looks.next(after: comparison.pairs) ?? 0)
      if comparison.verdict != .unresolved {
        self = .decided(width: comparison.roundsWidth)
      } else if comparison.pairs < Looks.counts[0] {
        self = .decidable(nanoseconds: 0)
      } else if rounds <= AnalysisOptions.hopefulFactor * comparison.pairs {
        self = .decidable(nanoseconds: Double(rounds - comparison.pairs) * roundNanoseconds)
      } else {
        self = .undecidable
      }
    }

    func isInTurn(_ first: Claim) -> Bool {
      switch (self, first) {
      case (.decidable(let nanoseconds), .decidable(let least)):
        nanoseconds <= AnalysisOptions.nearFactor * least
      case (.decided(let width), .decided(let widest)):
        width > AnalysisOptions.narrowestWidth && width > widest / 2
      case (.decided(let width), .undecidable): width > AnalysisOptions.settledWidth
      default: self == first
      }
    }

    private var rank: (Int, Double) {
      switch self {
      case .decidable(let nanoseconds): (0, nanoseconds)
      case .undecidable: (1, 0)
      case .decided(let width): (2, -width)
      }
    }

    static func < (claim: Claim, other: Claim) -> Bool { claim.rank < other.rank }
  }
}

extension CellSamples {
  /// The mean time of a sample, including the time before and after its timed jobs.
  fileprivate var sampleNanoseconds: Double {
    let times = counted.compactMap { sample in
      sample.wallNanoseconds.map { Double($0) * Double(sample.iterations) }
    }
    return Moments.mean(of: times).map { $0 + AnalysisOptions.aroundSampleNanoseconds } ?? 0
  }
}
