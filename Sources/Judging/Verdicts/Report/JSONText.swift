import Foundation
import Results

/// How everything is written that is JSON: sorted keys, so that two of them can be compared line by line.
public enum JSONText {
  public static func of(_ value: any Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }
}

/// A row of a CSV file, column by column, under the columns' names; unknown values as null.
struct JSONRow<Record: CSVRecord>: Encodable {
  let record: Record

  init(_ record: Record) { self.record = record }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: JSONKey.self)
    for column in Record.columns { try object.encode(column.value(record), forKey: JSONKey(column.name)) }
  }
}

struct JSONKey: CodingKey, ExpressibleByStringLiteral {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(stringLiteral name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
