import Results
import Statistics

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
