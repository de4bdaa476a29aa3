import Foundation
import Results

/// The whole analysis for other programs: sorted keys, unknown values as null, names and units of summary.csv.
public enum JSONReport {
  public static func text(_ analysis: RunAnalysis, context: ReportContext = ReportContext()) throws -> String
  {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(Document(analysis, context)), as: UTF8.self) + "\n"
  }
}

private struct Document: Encodable {
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
  let missing: [MissingCell]
  let scenarios: [ScenarioDocument]
  let growth: GrowthDocument

  init(_ analysis: RunAnalysis, _ context: ReportContext) {
    run = analysis.run
    reference = analysis.reference
    environment = context.environment
    headline = Headline.sentences(analysis).joined(separator: " ")
    samples = analysis.sampleCount
    dropped = Dictionary(
      uniqueKeysWithValues: analysis.droppedSamples.map { ($0.key.rawValue, $0.value) })
    generations = analysis.generations
    fewestPairs = analysis.fewestPairs
    equivalenceMargin = analysis.equivalenceMargin
    mostDisturbedShare = analysis.mostDisturbedShare
    truncatedLine = context.truncatedLine
    missing = analysis.missing.map {
      MissingCell(contender: $0.contender, scenario: $0.scenario, machine: $0.machine)
    }
    scenarios = analysis.scenarios.map(ScenarioDocument.init)
    growth = GrowthDocument(analysis.growth)
  }

  enum CodingKeys: String, CodingKey {
    case run, reference, environment, headline, samples, generations, dropped, missing, scenarios, growth
    case fewestPairs = "fewest_pairs"
    case equivalenceMargin = "equivalence_margin"
    case mostDisturbedShare = "most_disturbed_share"
    case truncatedLine = "truncated_line"
  }
}

private struct MissingCell: Encodable {
  let contender: String
  let scenario: String
  /// Left out where there is only one.
  let machine: String?
}

private struct ScenarioDocument: Encodable {
  let name: String
  /// Left out where there is only one.
  let machine: String?
  let endsWith: String
  let rounds: Int
  let disturbedRounds: Int
  let isTooDisturbed: Bool
  let cells: [CellDocument]

  init(_ scenario: ScenarioReport) {
    name = scenario.name
    machine = scenario.place.machine
    endsWith = scenario.end.rawValue
    rounds = scenario.rounds
    disturbedRounds = scenario.disturbance.disturbedRounds
    isTooDisturbed = scenario.disturbance.isTooDisturbed
    cells = scenario.cells.map(CellDocument.init)
  }

  enum CodingKeys: String, CodingKey {
    case name, machine, rounds, cells
    case endsWith = "ends_with"
    case disturbedRounds = "disturbed_rounds"
    case isTooDisturbed = "too_disturbed"
  }
}

/// growth.csv and crossovers.csv, from the same tables, and what they amount to.
private struct GrowthDocument: Encodable {
  let sentences: [String]
  let records: [RowDocument<GrowthRecord>]
  let crossovers: [RowDocument<CrossoverRecord>]

  init(_ report: GrowthReport) {
    sentences = report.sentences
    records = report.records.map(RowDocument.init)
    crossovers = report.crossovers.map(RowDocument.init)
  }
}

/// A row of a CSV file, column by column.
private struct RowDocument<Row: CSVRecord>: Encodable {
  let row: Row

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ColumnKey.self)
    for column in Row.columns { try container.encode(column.value(row), forKey: ColumnKey(column.name)) }
  }
}

/// The columns of summary.csv, from the same table, and what that file has no column for.
private struct CellDocument: Encodable {
  let cell: CellReport

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ColumnKey.self)
    for column in CellSummary.columns {
      try container.encode(column.value(cell.summary), forKey: ColumnKey(column.name))
    }
    try container.encode(cell.coldNanoseconds.map(ColumnValue.init(rounding:)), forKey: ColumnKey("cold_ns"))
    try container.encode(cell.comparison?.pairs, forKey: ColumnKey("pairs"))
    try container.encode(
      cell.comparison?.level.map(ColumnValue.init(rounding:)), forKey: ColumnKey("interval_level"))
    try container.encode(
      cell.comparison?.adjustedPValue.map(ColumnValue.init(rounding:)), forKey: ColumnKey("adjusted_p_value"))
    try container.encode(
      cell.comparison?.adjustedEquivalencePValue.map(ColumnValue.init(rounding:)),
      forKey: ColumnKey("adjusted_equivalence_p_value"))
    try container.encode(
      cell.reasons.map { ReasonDocument(outcome: $0.outcome, reason: $0.text, samples: $0.samples) },
      forKey: ColumnKey("reasons"))
  }
}

private struct ColumnKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

private struct ReasonDocument: Encodable {
  let outcome: Outcome
  let reason: String
  let samples: Int
}
