import Results

/// Every cell of a run beside the reference in the same scenario, in time and in processor time: one family of comparisons.
struct CellComparisons {
  private(set) var time: [CellKey: Comparison] = [:]
  private(set) var processor: [CellKey: Comparison] = [:]

  private typealias Compared = (key: CellKey, isTime: Bool, samples: PairedSamples)

  /// - Parameter hasEnded: false while rounds are still taken.
  init(_ cells: [CellKey: CellSamples], options: AnalysisOptions, hasEnded: Bool = true) {
    let compared = cells.values.flatMap { cell -> [Compared] in
      guard cell.key.contender != options.reference, cell.isRankable,
        let reference = cells[CellKey(contender: options.reference, place: cell.key.place)],
        reference.isRankable
      else { return [] }
      let time = PairedSamples(candidate: cell, reference: reference, of: \.wallNanosecondsByTurn)
      let processor = PairedSamples(candidate: cell, reference: reference, of: \.processorNanosecondsByTurn)
      return [(cell.key, true, time), (cell.key, false, processor)]
    }
    // What was not recorded asks no question, so it makes the others' answers no stricter.
    let asked = compared.filter { !$0.samples.pairs.isEmpty }
    let family = Comparison.family(asked.map(\.samples), options: options, hasEnded: hasEnded)
    for (cell, comparison) in zip(asked, family) {
      if cell.isTime { time[cell.key] = comparison } else { processor[cell.key] = comparison }
    }
  }

  /// How wide the wider one of its intervals is, as a log-ratio; infinite while either verdict is open.
  func widthIfDecided(_ key: CellKey) -> Double {
    guard let time = time[key] else { return .infinity }
    return max(time.widthIfDecided, processor[key]?.widthIfDecided ?? 0)
  }
}
