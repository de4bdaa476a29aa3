import Results

extension RunAnalysis {
  /// The cells of a run that is still going on whose rounds can stop: both of their verdicts are there, and both ratios are known
  /// well enough. The time goes to the others.
  ///
  /// Well enough is what not everybody has reached: half as wide again, as long as all are that narrow. The reference is among them
  /// where nobody is left to compare with it.
  ///
  /// - Parameter generations: in how many a cell must have rounds that count, since one process is not quite like the next.
  public static func settled(
    _ samples: [Sample], options: AnalysisOptions, generations: Int
  ) -> Set<CellKey> {
    let cells = SamplePlaces(samples).cells(of: samples)
    let comparisons = CellComparisons(cells, options: options, hasEnded: false)
    // Whoever failed is out of it already.
    let compared = cells.values.filter { $0.outcome == .measured && $0.key.contender != options.reference }
    let widths = compared.map { cell in
      Set(cell.counted.map { RoundKey($0).process }).count < generations
        ? .infinity : comparisons.widthIfDecided(cell.key)
    }
    guard let widest = widths.max() else { return [] }
    var enough = AnalysisOptions.settledWidth
    while widest <= enough, enough > AnalysisOptions.narrowestWidth { enough /= 2 }
    let settled = zip(compared, widths).filter { $1 <= enough }.map(\.0.key)
    let open = Set(zip(compared, widths).filter { $1 > enough }.map(\.0.key.place))
    let references = cells.keys.filter { $0.contender == options.reference && !open.contains($0.place) }
    return Set(settled + references)
  }
}
