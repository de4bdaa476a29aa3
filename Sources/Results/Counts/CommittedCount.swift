/// What a counts file says of one count.
public enum CommittedCount: Sendable, Hashable {
  /// The same in every post.
  case exact(Int)
  /// Not the same in every post, so that nothing follows from a difference.
  case varies
}

extension CommittedCount: CSVField {
  private static let word = "varies"

  init(csvText: String) throws(FieldProblem) {
    guard csvText != Self.word else {
      self = .varies
      return
    }
    guard csvText.utf8.allSatisfy({ "0123456789-".utf8.contains($0) }), let count = Int(csvText) else {
      throw FieldProblem(
        "holds \"\(SafeText.excerpt(csvText))\", which is neither a whole number nor \(Self.word)")
    }
    try notNegative(count)
    self = .exact(count)
  }

  func csvText() -> String {
    switch self {
    case .exact(let count): String(count)
    case .varies: Self.word
    }
  }

  var columnValue: ColumnValue {
    switch self {
    case .exact(let count): .integer(count)
    case .varies: .text(Self.word)
    }
  }
}
