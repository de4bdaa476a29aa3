import Results

/// Every cell of a run beside the reference in the same scenario: one family of comparisons for time, one for processor time.
struct CellComparisons {
  let time: [CellKey: Comparison]
  let processor: [CellKey: Comparison]

  /// - Parameter hasEnded: false while rounds are still taken.
  init(_ cells: [CellKey: CellSamples], options: AnalysisOptions, hasEnded: Bool = true) {
    let compared = cells.values.compactMap { cell -> (cell: CellSamples, reference: CellSamples)? in
      guard cell.key.contender != options.reference, cell.isRankable,
        let reference = cells[CellKey(contender: options.reference, place: cell.key.place)],
        reference.isRankable
      else { return nil }
      return (cell, reference)
    }
    func family(_ measure: KeyPath<CellSamples, [RoundKey: [Double]]>) -> [CellKey: Comparison] {
      let samples = compared.map { PairedSamples(candidate: $0, reference: $1, of: measure) }
      // What was not recorded asks no question, so it makes the others' answers no stricter.
      let asked = samples.indices.filter { !samples[$0].pairs.isEmpty }
      let comparisons = Comparison.family(asked.map { samples[$0] }, options: options, hasEnded: hasEnded)
      return zip(asked, comparisons).keyed { (compared[$0].cell.key, $1) }
    }
    time = family(\.wallNanosecondsByTurn)
    processor = family(\.processorNanosecondsByTurn)
  }
}
