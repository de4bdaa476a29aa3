import Foundation

/// What a counts file says of one count.
public enum CommittedCount: Sendable, Equatable {
  /// The same in every iteration.
  case exact(Int)
  /// Not the same in every iteration: from the lowest to the highest of what the processes counted in their cheapest iterations.
  case within(ClosedRange<Int>)
}

extension CommittedCount: CSVField {
  init(csvText: String) throws(FieldProblem) {
    let texts = csvText.components(separatedBy: Self.separator)
    let ends = texts.compactMap { end in
      end.utf8.allSatisfy { "0123456789-".utf8.contains($0) } ? Int(end) : nil
    }
    switch (texts.count, ends.count) {
    case (1, 1): self = .exact(ends[0])
    case (2, 2) where ends[0] <= ends[1]: self = .within(ends[0]...ends[1])
    default:
      throw FieldProblem(
        "holds \"\(SafeText.excerpt(csvText))\", which is neither a whole number nor a range such as 45..47")
    }
    try range.lowerBound.pass(.notNegative)
    guard range.upperBound <= Self.most else {
      throw FieldProblem("is \(range.upperBound), and no post has more than \(Self.most)")
    }
  }

  func csvText() -> String {
    switch self {
    case .exact(let count): String(count)
    case .within(let range): "\(range.lowerBound)\(Self.separator)\(range.upperBound)"
    }
  }

  var columnValue: ColumnValue {
    switch self {
    case .exact(let count): .integer(count)
    case .within: .text(csvText())
    }
  }

  public var isExact: Bool {
    if case .exact = self { true } else { false }
  }

  public var range: ClosedRange<Int> {
    switch self {
    case .exact(let count): count...count
    case .within(let range): range
    }
  }

  private static let separator = ".."
  /// Whatever is counted lies far below it.
  private static let most = 1_000_000_000_000
}

extension CommittedCount: CustomStringConvertible {
  public var description: String { csvText() }
}
