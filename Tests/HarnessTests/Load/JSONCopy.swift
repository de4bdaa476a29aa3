import Foundation

/// A value as the other end of a pipe gets it.
enum JSONCopy {
  static func of<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }
}
