import Foundation
import Results

/// What a load run found, for other programs: sorted keys, unknown values as null, names and units of the CSV files.
public enum LoadJSONReport {
  public static func text(_ analysis: LoadAnalysis, context: ReportContext = ReportContext()) throws -> String
  {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(Document(analysis, context)), as: UTF8.self) + "\n"
  }
}

private struct Document: Encodable {
  let run: String
  let environment: EnvironmentRecord?
  let headline: String
  let rule: String
  let windows: Int
  let rates: [Row<LoadSummary>]
  let limits: [Row<LoadLimit>]

  init(_ analysis: LoadAnalysis, _ context: ReportContext) {
    run = analysis.run
    environment = context.environment
    headline = analysis.headline.joined(separator: " ")
    rule = analysis.rule.description
    windows = analysis.windows
    rates = analysis.summaries.map(Row.init)
    limits = analysis.limits.map(Row.init)
  }
}

/// The columns of the CSV file, from the same table.
private struct Row<Record: CSVRecord>: Encodable {
  let record: Record

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    for column in Record.columns {
      try container.encode(column.value(record), forKey: Key(column.name))
    }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
