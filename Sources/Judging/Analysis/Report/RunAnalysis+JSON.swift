import Results

extension RunAnalysis {
  /// The whole analysis for other programs: unknown values as null, names and units of summary.csv.
  public func json(_ context: ReportContext = ReportContext()) throws -> String {
    try JSONText.of(RunDocument(self, context))
  }
}

private struct RunDocument: Encodable {
  let run: String
  let reference: String
  let environment: EnvironmentRecord?
  let headline: String
  let samples: Int
  let dropped: [String: Int]
  let generations: Int
  let fewestPairs: Int
  let equivalenceMargin: Double
  let mostDisturbedShare: Double
  let truncatedLine: Int?
  let missing: [CellKey.Document]
  let scenarios: [ScenarioDocument]
  let growth: GrowthDocument

  init(_ analysis: RunAnalysis, _ context: ReportContext) {
    run = analysis.run
    reference = analysis.reference
    environment = context.environment
    headline = analysis.headline.joined(separator: " ")
    samples = analysis.sampleCount
    dropped = Dictionary(
      uniqueKeysWithValues: analysis.droppedSamples.map { ($0.key.rawValue, $0.value) })
    generations = analysis.generations
    fewestPairs = analysis.fewestPairs
    equivalenceMargin = analysis.equivalenceMargin
    mostDisturbedShare = analysis.mostDisturbedShare
    truncatedLine = context.truncatedLine
    missing = analysis.missing.map(CellKey.Document.init)
    scenarios = analysis.scenarios.map(ScenarioDocument.init)
    growth = GrowthDocument(analysis.growth)
  }
}

extension CellKey {
  /// A machine is left out where there is only one.
  fileprivate struct Document: Encodable {
    let contender: String
    let scenario: String
    let machine: String?

    init(_ key: CellKey) { (contender, scenario, machine) = (key.contender, key.scenario, key.machine) }
  }
}

private struct ScenarioDocument: Encodable {
  let name: String
  let machine: String?
  let endsWith: String
  let rounds: Int
  let disturbedRounds: Int
  let tooDisturbed: Bool
  let cells: [CellDocument]

  init(_ scenario: ScenarioReport) {
    name = scenario.name
    machine = scenario.place.machine
    endsWith = scenario.end.rawValue
    rounds = scenario.rounds
    disturbedRounds = scenario.disturbance.disturbedRounds
    tooDisturbed = scenario.disturbance.isTooDisturbed
    cells = scenario.cells.map(CellDocument.init)
  }
}

/// growth.csv and crossovers.csv, and what they amount to.
private struct GrowthDocument: Encodable {
  let sentences: [String]
  let records: [JSONRow<GrowthRecord>]
  let crossovers: [JSONRow<CrossoverRecord>]

  init(_ report: GrowthReport) {
    sentences = report.sentences
    records = report.records.map(JSONRow.init)
    crossovers = report.crossovers.map(JSONRow.init)
  }
}

/// The columns of summary.csv, and what that file has no column for.
private struct CellDocument: Encodable {
  let cell: CellReport

  func encode(to encoder: any Encoder) throws {
    try JSONRow(cell.summary).encode(to: encoder)
    var container = encoder.container(keyedBy: JSONKey.self)
    func encode(_ value: Double?, _ key: String) throws {
      try container.encode(value.map(ColumnValue.init(rounding:)), forKey: JSONKey(key))
    }
    try encode(cell.coldNanoseconds, "cold_ns")
    try encode(cell.comparison?.level, "interval_level")
    try encode(cell.comparison?.adjustedPValue, "adjusted_p_value")
    try encode(cell.comparison?.adjustedEquivalencePValue, "adjusted_equivalence_p_value")
    try container.encode(cell.comparison?.pairs, forKey: JSONKey("pairs"))
    try container.encode(cell.reasons.map(ReasonDocument.init), forKey: JSONKey("reasons"))
  }
}

private struct ReasonDocument: Encodable {
  let outcome: Outcome
  let reason: String
  let samples: Int

  init(_ reason: CellReport.Reason) {
    (outcome, self.reason, samples) = (reason.outcome, reason.text, reason.samples)
  }
}
