import Foundation

/// A planned scenario of a run: an entry of environment.json.
public struct ScenarioRecord: Codable, Sendable, Equatable {
  /// The scenario's parameters by key path, without those that differ between machines.
  public var definition: [String: String]
  /// The names of the planned contenders.
  public var contenders: [String]
  /// The contender with which the others are compared; `nil` means the run's reference.
  public var reference: String?
  /// How the scenario ends: `post`, `error` or `cancellation`; `nil` means unknown.
  public var endsWith: String?
  /// What the scenario measures, and the unit of its times; `nil` means uploads.
  public var subject: String?
  public var unit: String?
  public var showsMemory: Bool?
  /// The scenario's class of work, such as `uploads_wait`; `nil` means that it is inferred from other fields.
  public var `class`: String?

  public init(definition: [String: String], contenders: [String]) {
    (self.definition, self.contenders) = (definition, contenders)
  }
}

/// The parts of a value as texts, to compare values of different machines and versions.
public enum Definition {
  /// What the value's JSON contains, by key path such as `latency.fixed.nanoseconds`, without nulls.
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

    /// Numbers are read as whole numbers if possible: as floating-point numbers, large ones such as seeds would lose digits.
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
        for (index, inner) in array.enumerated() { inner.collect(into: &leaves, path: join("\(index)")) }
      case .leaf(let text) where !text.isEmpty: leaves[path] = text
      case .leaf: break
      }
    }
  }
}

/// Checks the names in a record.
public enum RecordName {
  public static let mostBytes = 100

  /// Checks the name of a contender, scenario, pattern or service.
  public static func check(_ name: String) throws(FieldProblem) { try check(name, alsoAllowed: "-_.:=+/@") }

  /// Checks the name of a run, which is also its folder's.
  public static func checkRun(_ name: String) throws(FieldProblem) {
    try check(name, alsoAllowed: "-._")
    if name == "latest" { throw FieldProblem("is \"latest\", which is the link to the newest run") }
  }

  private static func check(_ name: String, alsoAllowed: String) throws(FieldProblem) {
    func isLetterOrDigit(_ byte: UInt8) -> Bool { byte < 0x80 && isalnum(Int32(byte)) != 0 }
    guard let first = name.utf8.first, isLetterOrDigit(first), name.utf8.count <= mostBytes,
      name.utf8.allSatisfy({ isLetterOrDigit($0) || alsoAllowed.utf8.contains($0) })
    else {
      throw FieldProblem(
        "is \"\(SafeText.excerpt(name))\"; a name is a letter or digit followed by at most \(mostBytes - 1) letters, digits or "
          + alsoAllowed.map(String.init).joined(separator: " "))
    }
  }
}

/// What files have in place of a service's name where nothing is uploaded.
public enum NoService {
  /// An operation of a runtime is measured.
  public static let operation = "runtime"
  /// A package's own benchmark is measured.
  public static let benchmark = "benchmark"

  public static func iteration(on service: String) -> String {
    service == operation || service == benchmark ? "iteration" : "post"
  }
}

/// Baselines that are measured among the contenders, but neither compared nor ranked.
public enum ExternalBaseline {
  /// The system's `cp`, only in runs of earlier versions.
  public static let copy = "cp"
  /// A driver that only makes requests and counts answers: the cost of the service itself.
  public static let service = "service"

  public static func contains(_ name: String) -> Bool { name == copy || name == service }
}
