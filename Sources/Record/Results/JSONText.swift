import Foundation

/// Reads and writes JSON, with sorted keys so that files can be compared line by line.
public enum JSONText {
  public static func of(_ value: any Encodable) throws -> String {
    String(decoding: try encoder([.prettyPrinted, .sortedKeys]).encode(value), as: UTF8.self) + "\n"
  }

  public static func encoder(_ format: JSONEncoder.OutputFormatting) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = format.union(.withoutEscapingSlashes)
    encoder.dateEncodingStrategy = .iso8601
    encoder.keyEncodingStrategy = .custom { path in
      (path.last as? JSONKey) ?? JSONKey(Keys.ofRecord(path.last?.stringValue ?? ""))
    }
    return encoder
  }

  static func value<Value: Decodable>(from json: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    decoder.keyDecodingStrategy = .custom { JSONKey(Keys.property($0.last?.stringValue ?? "")) }
    return try decoder.decode(Value.self, from: json)
  }

  /// Converts names of properties to keys, such as `isSeen` to `seen` and `clockStepNanoseconds` to `clock_step_ns`.
  enum Keys {
    private static let units = ["nanoseconds": "ns", "microseconds": "us"]
    /// Keys of Boolean properties, whose names begin with `is`.
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

    /// The key in the file for a component of a coding path. A dictionary's key stays as it is.
    static func inFile(_ key: any CodingKey) -> String {
      String(describing: type(of: key)) == "CodingKeys" ? ofRecord(key.stringValue) : key.stringValue
    }
  }
}

/// A type that lists the keys and values of its JSON object.
public protocol JSONEncodable: Encodable {
  var jsonObject: JSONObject { get }
}

extension JSONEncodable {
  public func encode(to encoder: any Encoder) throws { try jsonObject.encode(to: encoder) }

  public func json() throws -> String { try JSONText.of(self) }
}

/// A JSON object, written as a dictionary literal. `nil` values are left out.
public struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
  private let fields: [(key: JSONKey, value: (any Encodable)?)]

  public init(_ fields: [(key: JSONKey, value: (any Encodable)?)]) { self.fields = fields }
  public init(dictionaryLiteral fields: (JSONKey, (any Encodable)?)...) {
    self.fields = fields.map { ($0, $1) }
  }

  public static func + (one: JSONObject, other: JSONObject) -> JSONObject {
    JSONObject(one.fields + other.fields)
  }

  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: JSONKey.self)
    for case (let key, let value?) in fields { try object.encode(value, forKey: key) }
  }
}

extension Optional where Wrapped: Encodable {
  /// The value, with `nil` as null instead of no key.
  public var orNull: any Encodable { self }
}

extension Double? {
  /// The number with nine significant digits, or null.
  package var rounded: any Encodable { map { $0.columnValue } }
}

extension CSVRecord {
  package var jsonObject: JSONObject {
    JSONObject(Self.columns.map { (JSONKey($0.name), $0.value(self).orNull) })
  }
}

/// A key of a JSON file.
public struct JSONKey: CodingKey, ExpressibleByStringLiteral {
  public let stringValue: String
  public var intValue: Int? { nil }

  public init(_ name: String) { stringValue = name }
  public init(stringLiteral name: String) { stringValue = name }
  public init?(stringValue: String) { self.stringValue = stringValue }
  public init?(intValue: Int) { nil }
}
