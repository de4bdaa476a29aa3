import Foundation

/// What a run was to do of one scenario, so that its files alone say so: an entry of environment.json.
public struct ScenarioRecord: Codable, Sendable, Equatable {
  /// Everything that makes it this scenario and no other, by key path; nothing that names a place on a machine.
  public var definition: [String: String]
  /// Who was to be measured.
  public var contenders: [String]
  /// `post`, `error` or `cancellation`; nil: as its samples tell.
  public var endsWith: String?
  /// What it is about and what its times are per; nil: uploads.
  public var subject: String?
  public var unit: String?
  public var showsMemory: Bool?
  /// Where its time goes, such as `uploads_wait`; nil: as service, limit and end tell.
  public var workClass: String?

  public init(definition: [String: String], contenders: [String]) {
    (self.definition, self.contenders) = (definition, contenders)
  }

  enum CodingKeys: String, CodingKey {
    case definition, contenders, subject, unit
    case endsWith = "ends_with"
    case showsMemory = "shows_memory"
    case workClass = "class"
  }
}

/// What a value is made of, as texts that are the same on every machine.
public enum Definition {
  /// The leaves of the value's JSON by key path, such as `latency.fixed.nanoseconds`; unknown ones are left out.
  public static func leaves(of value: some Encodable) throws -> [String: String] {
    let tree = try JSONDecoder().decode(Tree.self, from: JSONEncoder().encode(value))
    var leaves: [String: String] = [:]
    tree.collect(into: &leaves, path: "")
    return leaves
  }

  private indirect enum Tree: Decodable {
    case object([String: Tree])
    case array([Tree])
    case leaf(String)

    init(from decoder: any Decoder) throws {
      if let object = try? [String: Tree](from: decoder) {
        self = .object(object)
      } else if let array = try? [Tree](from: decoder) {
        self = .array(array)
      } else {
        self = .leaf(try Self.text(decoder.singleValueContainer()))
      }
    }

    /// Whole numbers first: as floating-point numbers large ones, such as seeds, would lose digits.
    private static func text(_ value: any SingleValueDecodingContainer) throws -> String {
      if value.decodeNil() { return "" }
      if let flag = try? value.decode(Bool.self) { return flag.description }
      if let number = try? value.decode(Int64.self) { return number.description }
      if let number = try? value.decode(UInt64.self) { return number.description }
      if let number = try? value.decode(Double.self) { return number.description }
      return try value.decode(String.self)
    }

    func collect(into leaves: inout [String: String], path: String) {
      func join(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
      switch self {
      case .object(let object):
        for (name, inner) in object { inner.collect(into: &leaves, path: join(name)) }
      case .array(let array):
        for (index, inner) in array.enumerated() {
          inner.collect(into: &leaves, path: join("\(index)"))
        }
      case .leaf(let text) where !text.isEmpty: leaves[path] = text
      case .leaf: break
      }
    }
  }
}
