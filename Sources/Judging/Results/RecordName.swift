/// The names that may stand in a record: they are typed on command lines, and runs become folders.
public enum RecordName {
  /// No name is longer; those of runs and of whatever stands in them, all ASCII.
  public static let mostBytes = 100

  /// Checks the name of a contender, scenario, pattern or service:
  /// a letter or digit, then at most 99 letters, digits, `-`, `_`, `.`, `:`, `=`, `+` or `/`, all ASCII.
  public static func check(_ name: String) throws(FieldProblem) {
    try check(name, alsoAllowed: "-_.:=+/")
  }

  /// Checks the name of a run, which is also its folder's:
  /// a letter or digit, then at most 99 letters, digits, `-`, `_` or `.`, all ASCII; not `latest`.
  public static func checkRun(_ name: String) throws(FieldProblem) {
    try check(name, alsoAllowed: "-._")
    if name == "latest" {
      throw FieldProblem("is \"latest\", which is the link to the newest run")
    }
  }

  private static func check(_ name: String, alsoAllowed: String) throws(FieldProblem) {
    func isLetterOrDigit(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
    guard let first = name.utf8.first, isLetterOrDigit(first), name.utf8.count <= mostBytes,
      name.utf8.allSatisfy({ isLetterOrDigit($0) || alsoAllowed.utf8.contains($0) })
    else {
      throw FieldProblem(
        "is \"\(SafeText.excerpt(name))\"; a name is a letter or digit followed by at most \(mostBytes - 1) letters, digits or "
          + alsoAllowed.map(String.init).joined(separator: " "))
    }
  }
}

/// What stands in the place of a service where nothing is uploaded.
public enum NoService {
  /// An operation of a runtime.
  public static let operation = "runtime"
  /// A benchmark of a package's own.
  public static let benchmark = "benchmark"
}

/// What stands beside contenders without being one: measured in their rounds, never compared and never ranked.
public enum ExternalBaseline {
  /// The system's `cp`, with the files that contenders publish.
  public static let copy = "cp"
  /// A driver that asks the service and counts its answers: what the service itself costs.
  public static let service = "service"

  /// Whether what stands in a contender's place is none.
  public static func contains(_ name: String) -> Bool { name == copy || name == service }
}
