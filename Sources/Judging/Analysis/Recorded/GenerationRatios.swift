import Results
import Statistics

/// How a contender's time relates to the reference's in each generation of a run: one number for each set of fresh
/// processes, since processes are what differs, not samples.
struct GenerationRatios: Hashable {
  /// Log-ratios of the means of the fastest quarters, over the rounds that both have; in the order of the generations.
  let values: [Double]

  init(_ values: [Double]) { self.values = values }

  init(_ cell: Cell, to reference: Cell) {
    let references = Dictionary(grouping: reference.counted, by: Generation.init)
    let cells = Dictionary(grouping: cell.counted, by: Generation.init)
    values = cells.keys.sorted().compactMap { generation in
      let (mine, others) = (cells[generation] ?? [], references[generation] ?? [])
      let rounds = Set(mine.map(\.round)).intersection(others.map(\.round))
      func fastest(_ samples: [Sample]) -> Double? {
        Quantiles.lowQuartileMean(
          of: samples.filter { rounds.contains($0.round) }.compactMap(\.wallNanoseconds).map(Double.init))
      }
      guard let mine = fastest(mine), let others = fastest(others), mine > 0, others > 0 else { return nil }
      return LogRatio.of(mine, to: others)
    }
  }

  var mean: Double { values.reduce(0, +) / Double(values.count) }

  /// How one process differs from the next.
  var variance: Double {
    let mean = mean
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return max(
      squares / Double(values.count - 1), RecordedRule.smallestSpread * RecordedRule.smallestSpread)
  }

  private struct Generation: Hashable, Comparable {
    let run: String
    let number: Int

    init(_ sample: Sample) {
      run = sample.run
      number = sample.generation
    }

    static func < (left: Generation, right: Generation) -> Bool {
      (left.run, left.number) < (right.run, right.number)
    }
  }
}
