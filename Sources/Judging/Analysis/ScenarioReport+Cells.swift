import Results

extension ScenarioReport {
  /// - Parameter cells: the scenario's cells that have samples; at least one.
  init(
    _ place: ScenarioKey, cells: [Cell], run: String, disturbance: ScenarioDisturbance,
    comparisons: [CellKey: Comparison],
    missing: [String], options: AnalysisOptions
  ) {
    let samples = cells.flatMap(\.all)
    let first = samples[0]
    let isDecided = !disturbance.isTooDisturbed
    let ranks = RankGroups(cells: cells, comparisons: comparisons, isDecided: isDecided, options: options)
    let resampling = RankResampling(cells: isDecided ? cells : [], resamples: options.rankResamples)
    let reports = cells.map { cell in
      CellReport(
        cell, run: run, comparison: comparisons[cell.key], rankGroup: ranks.group[cell.key],
        rankProbabilities: resampling.probabilities[cell.key], disturbance: disturbance, options: options)
    }
    self.disturbance = disturbance
    self.place = place
    pattern = first.pattern
    service = first.service
    fanOut = first.fanOut
    inFlightLimit = first.inFlightLimit
    end = options.ends[first.scenario] ?? .inferred(from: samples)
    about = options.subjects[first.scenario]
    rounds = cells.map(\.counted.count).max() ?? 0
    self.missing = missing
    self.cells = reports.sorted { Self.order($0.summary) < Self.order($1.summary) }
  }

  private static func order(_ summary: CellSummary) -> (Int, Double, String) {
    (summary.rankGroup ?? .max, summary.medianNanoseconds ?? .infinity, summary.contender)
  }
}
