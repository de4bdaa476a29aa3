import Results

/// How time grows with the fan-out, for every series of scenarios of a run that differ in nothing else.
public struct GrowthReport: Sendable, Equatable {
  /// One for each contender and series, series by series: rows of growth.csv. Empty if the run has no series.
  public let records: [GrowthRecord]
  /// Rows of crossovers.csv.
  public let crossovers: [CrossoverRecord]
  /// What is worth to be said of them, a sentence each.
  public let sentences: [String]

  init(run: String, cells: [CellKey: CellSamples], scenarios: [ScenarioReport], options: AnalysisOptions) {
    let reports = scenarios.flatMap { scenario in scenario.cells.map { (scenario.place, $0) } }.keyed {
      (CellKey(contender: $1.summary.contender, place: $0), $1)
    }
    var records: [GrowthRecord] = []
    var crossovers: [CrossoverRecord] = []
    var spellings: [SpellingWords] = []
    for machine in scenarios.map(\.place.machine).unique() {
      let here = scenarios.filter { $0.place.machine == machine }
      for series in Series.all(of: here.map { ($0.fanOut, $0.name) }, machine: machine) {
        let members = here.filter { scenario in series.scenarios.contains { $0.name == scenario.name } }
        let contenders = members.flatMap { $0.cells.map(\.summary.contender) }.unique().ordered {
          SortKey(first: $0)
        }
        let times = SeriesTimes(
          series, contenders: contenders, cells: cells, resamples: options.rankResamples)
        for (index, contender) in contenders.enumerated() {
          let keys = series.scenarios.map { series.key(contender, $0.name) }
          guard let first = keys.compactMap({ cells[$0] }).first?.all[0] else { continue }
          records.append(
            GrowthRecord(times, index, run: run, first: first, cells: keys.map { reports[$0] }))
        }
        crossovers += CrossoverRecord.all(times, run: run)
        spellings += SpellingWords.all(times)
      }
    }
    self.records = records
    self.crossovers = crossovers
    sentences =
      GrowthWords(records: records, orders: options.orders).sentences + spellings.map(\.sentence)
  }
}
