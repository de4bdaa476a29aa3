import Results
import Statistics

/// What the samples of a run amount to.
///
/// Dropped samples and cells that are not measured are left out of every number, and counted.
public struct RunAnalysis: Sendable, Equatable {
  public let run: String
  public let reference: String
  /// In the order in which the run took them up.
  public let scenarios: [ScenarioReport]
  /// Cells without any sample.
  public let missing: [CellKey]
  public let sampleCount: Int
  public let droppedSamples: [DropReason: Int]
  /// Sets of fresh processes that have a sample that counts.
  public let generations: Int
  /// How time grows with the fan-out, where several scenarios differ in nothing else.
  public let growth: GrowthReport
  /// As ``AnalysisOptions/equivalenceMargin``.
  public let equivalenceMargin: Double
  /// As ``AnalysisOptions/mostDisturbedShare``.
  public let mostDisturbedShare: Double

  /// The rows of summary.csv.
  public var summaries: [CellSummary] { scenarios.flatMap { $0.cells.map(\.summary) } }

  /// All cells whose contender failed, hung or was wrong.
  public var failed: [CellReport] {
    scenarios.flatMap { $0.cells.filter { $0.summary.outcome != .measured } }
  }
}

extension RunAnalysis {
  /// Judges the samples of one run.
  ///
  /// Two families of comparisons are decided, each by Holm: every cell against the reference over the whole run, in time and
  /// in processor time, which gives ratios, intervals and verdicts; and within each scenario the other pairs of contenders,
  /// which only give rank groups.
  public init(run: String, samples: [Sample], options: AnalysisOptions) {
    let names = SamplePlaces(samples)
    let cells = names.cells(of: samples)
    let places = samples.map { names.key(of: $0).place }.grouped()
    let contenders = samples.map(\.contender).unique()
    let planned =
      options.plannedCells?.map { names.key($0.contender, $0.scenario, $0.machine) }
      ?? places.flatMap { place in contenders.map { CellKey(contender: $0, place: place) } }
    let missing = planned.filter { cells[$0] == nil }
    let disturbances = samples.grouped { names.key(of: $0).place }.keyed {
      ($0, ScenarioDisturbance($1, mostDisturbedShare: options.mostDisturbedShare))
    }

    let comparisons = CellComparisons(cells, options: options)

    self.run = run
    reference = options.reference
    sampleCount = samples.count
    droppedSamples = samples.reduce(into: [:]) { counts, sample in
      if let dropped = sample.dropped { counts[dropped, default: 0] += 1 }
    }
    generations =
      cells.values.grouped(by: \.key.place).values.map { cells in
        Set(cells.flatMap { $0.counted.map { RoundKey($0).process } }).count
      }.max() ?? 0
    equivalenceMargin = options.equivalenceMargin
    mostDisturbedShare = options.mostDisturbedShare
    self.missing = missing
    let scenarios = places.compactMap { place -> ScenarioReport? in
      guard let disturbance = disturbances[place] else { return nil }
      return ScenarioReport(
        place, cells: contenders.compactMap { cells[CellKey(contender: $0, place: place)] }, run: run,
        disturbance: disturbance,
        comparisons: comparisons, missing: missing.filter { $0.place == place }.map(\.contender),
        options: options)
    }
    self.scenarios = scenarios
    growth = GrowthReport(run: run, cells: cells, scenarios: scenarios, options: options)
  }
}

extension RunAnalysis {
  /// The cells of a run that is still going on whose rounds can stop, so that others have the time.
  ///
  /// First in turn are cells that a few times the rounds they have had would decide in time; then those that they would decide in
  /// processor time; then those that would take more, and with them those whose ratios are known badly; and where all are
  /// decided, those whose ratios are known least. Whoever is not in turn is settled. The reference and the external baselines are,
  /// where nobody is left to compare with them.
  ///
  /// - Parameter generations: in how many a cell must have rounds that count, since one process is not quite like the next.
  public static func settled(
    _ samples: [Sample], options: AnalysisOptions, generations: Int
  ) -> Set<CellKey> {
    let cells = SamplePlaces(samples).cells(of: samples)
    let comparisons = CellComparisons(cells, options: options, hasEnded: false)
    // Whoever failed is out of it already.
    let compared = cells.values.filter {
      $0.outcome == .measured && $0.key.contender != options.reference && !$0.isExternalBaseline
    }
    let claims = compared.map { cell in
      Set(cell.counted.map { RoundKey($0).process }).count < generations
        ? Claim.decidableInTime
        : max(
          Claim(comparisons.time[cell.key], ifNear: .decidableInTime),
          Claim(comparisons.processor[cell.key], ifNear: .decidableInProcessorTime))
    }
    guard let first = claims.max() else { return [] }
    let inTurn = Set(zip(compared, claims).filter { $1.isInTurn(first) }.map(\.0.key))
    let open = Set(inTurn.map(\.place))
    return Set(
      cells.keys.filter { key in
        key.contender == options.reference || ExternalBaseline.contains(key.contender)
          ? !open.contains(key.place) : !inTurn.contains(key)
      })
  }

  /// What a comparison wants of the time that is left.
  private enum Claim: Comparable {
    /// Nothing, with an interval of this width.
    case decided(width: Double)
    case undecidable
    case decidableInProcessorTime
    case decidableInTime

    init(_ comparison: Comparison?, ifNear: Claim) {
      guard let comparison else {
        self = .decided(width: 0)
        return
      }
      // Before the first look nobody can be decided, however near it is.
      let isNear =
        comparison.pairs < Looks.counts[0]
        || comparison.roundsToResolve.map { $0 <= AnalysisOptions.hopefulFactor * comparison.pairs } ?? true
      self =
        comparison.verdict != .unresolved
        ? .decided(width: comparison.roundsWidth) : isNear ? ifNear : .undecidable
    }

    /// - Parameter first: the greatest claim of all.
    func isInTurn(_ first: Claim) -> Bool {
      switch (self, first) {
      case (.decided(let width), .decided(let widest)):
        width > AnalysisOptions.narrowestWidth && width > widest / 2
      case (.decided(let width), .undecidable): width > AnalysisOptions.settledWidth
      default: self == first
      }
    }
  }
}
