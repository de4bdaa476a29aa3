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

extension GrowthReport {
  /// A table for each series.
  var tables: [Table] {
    let fields = Self.fields
    return records.map(\.place).unique().map { place in
      let records = records.filter { $0.place == place }
      let least = records.compactMap(\.leastFanOut).min().map(NumberText.thousands) ?? "?"
      let most = records.compactMap(\.mostFanOut).max().map(NumberText.thousands) ?? "?"
      return Table(
        title: "growth of \(place): \(least) to \(most) uploads", fields, records,
        tone: { $0.isSuperlinear ? .bad : .plain }
      ).with { $0.notes = crossovers(besides: records[0]) }
    }
  }

  /// With more pairs than these who changes places is for those who look into the file.
  private static let mostCrossovers = 6

  private func crossovers(besides record: GrowthRecord) -> [String] {
    let all = crossovers.filter { $0.series == record.series && $0.machine == record.machine }
    let rest = all.count - Self.mostCrossovers
    return all.prefix(Self.mostCrossovers).map(Self.text)
      + (rest > 0 ? ["and \(rest) more in \(RunDirectory.crossoversName)"] : [])
  }

  /// Such as `futures becomes cheaper than callbacks at about 320 uploads [250, 410]`.
  private static func text(_ crossover: CrossoverRecord) -> String {
    func about(_ fanOut: Double) -> String { NumberText.about(Int(fanOut.rounded())) }
    return crossover.cheaperAbove + " becomes cheaper than " + crossover.cheaperBelow + " at about "
      + about(crossover.fanOut) + " uploads [" + about(crossover.fanOutLow) + ", "
      + about(crossover.fanOutHigh) + "]"
  }

  private typealias Field = Table.Field<GrowthRecord>

  private static var fields: [Field] {
    [
      Field("contender", 18, isLeft: true) { .name($0.contender) },
      Field("N^", 6) { .number($0.exponent, NumberText.ratio) },
      Field("[interval]", 13, isLeft: true) {
        Table.Cell(interval($0.exponentLow, $0.exponentHigh, NumberText.ratio))
      }, Field("widest", 7) { .number($0.widestExponent, NumberText.ratio) },
      Field("time/upload", 12) { .duration($0.nanosecondsPerUpload) },
      Field("bytes", 9) { .number($0.bytesPerUpload, NumberText.bytes) },
      Field("growth", isLeft: true) { Table.Cell($0.verdict?.rawValue ?? "") },
    ]
  }

  private static func interval(_ low: Double?, _ high: Double?, _ text: (Double) -> String) -> String {
    guard let low, let high else { return "" }
    return "[" + text(low) + ", " + text(high) + "]"
  }
}
