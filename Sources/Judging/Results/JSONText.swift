import Foundation

/// How everything is written that is JSON: sorted keys, so that two of them can be compared line by line.
public enum JSONText {
  public static func of(_ value: any Encodable, keys: Keys = .ofRecords) throws -> String {
    String(decoding: try encoder([.prettyPrinted, .sortedKeys], keys).encode(value), as: UTF8.self) + "\n"
  }

  public static func encoder(_ format: JSONEncoder.OutputFormatting, _ keys: Keys = .ofRecords) -> JSONEncoder
  {
    let encoder = JSONEncoder()
    encoder.outputFormatting = format.union(.withoutEscapingSlashes)
    encoder.dateEncodingStrategy = .iso8601
    if keys == .ofRecords {
      encoder.keyEncodingStrategy = .custom { JSONKey(Keys.ofRecord($0.last?.stringValue ?? "")) }
    }
    return encoder
  }

  static func value<Value: Decodable>(from json: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    decoder.keyDecodingStrategy = .custom { JSONKey(Keys.property($0.last?.stringValue ?? "")) }
    return try decoder.decode(Value.self, from: json)
  }

  /// What properties are called in a file.
  public enum Keys: Sendable {
    /// As this suite's records have it: `isSeen` is `seen`, and `clockStepNanoseconds` is `clock_step_ns`.
    case ofRecords
    case asTheyAre

    private static let units = ["nanoseconds": "ns", "microseconds": "us"]
    /// The flags of records that are read: their keys do not tell that they are.
    private static let flags: Set = ["dirty", "interrupted"]

    static func ofRecord(_ property: String) -> String {
      guard property.utf8.contains(where: (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains) else {
        return units[property] ?? property
      }
      let words = property.replacing(#/[A-Z]+(?![a-z])|[A-Z]/#) { "_" + $0.output.lowercased() }
        .split(separator: "_").map(String.init)
      return (words.first == "is" ? words.dropFirst() : words[...]).map { units[$0] ?? $0 }
        .joined(separator: "_")
    }

    fileprivate static func property(_ key: String) -> String {
      let words = ((flags.contains(key) ? "is_" : "") + key).split(separator: "_").map { word in
        units.first { $0.value == word }?.key ?? String(word)
      }
      return (words.prefix(1) + words.dropFirst().map(\.capitalized)).joined()
    }

    /// A step of the path to a value: a property is called as in the file, an entry of a dictionary as it is.
    static func inFile(_ key: any CodingKey) -> String {
      String(describing: type(of: key)) == "CodingKeys" ? ofRecord(key.stringValue) : key.stringValue
    }
  }
}

public struct JSONKey: CodingKey, ExpressibleByStringLiteral {
  public let stringValue: String
  public var intValue: Int? { nil }

  public init(_ name: String) { stringValue = name }
  public init(stringLiteral name: String) { stringValue = name }
  public init?(stringValue: String) { self.stringValue = stringValue }
  public init?(intValue: Int) { nil }
}
