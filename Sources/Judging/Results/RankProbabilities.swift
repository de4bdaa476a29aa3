/// How probable each rank of a scenario is for a contender, from the first.
public struct RankProbabilities: Sendable, Hashable {
  public let values: [Double]

  /// - Parameter values: each from 0 to 1; at least one.
  public init(_ values: [Double]) {
    precondition(
      !values.isEmpty && values.allSatisfy((0...1).contains), "a probability lies between 0 and 1")
    self.values = values
  }

  public var first: Double { values[0] }
}

extension RankProbabilities: CSVField {
  private static let separator: Character = ";"

  init(csvText: String) throws(FieldProblem) {
    var values: [Double] = []
    for part in csvText.split(separator: Self.separator, omittingEmptySubsequences: false) {
      let value = try Double(csvText: String(part))
      guard (0...1).contains(value) else {
        throw FieldProblem("holds \"\(SafeText.excerpt(String(part)))\", which is no probability")
      }
      values.append(value)
    }
    self.init(values)
  }

  /// Two decimals: the draws that they come from give no more.
  func csvText() -> String {
    rounded.map { "\($0 / 100).\($0 / 10 % 10)\($0 % 10)" }.joined(separator: String(Self.separator))
  }

  var columnValue: ColumnValue { .list(rounded.map { Double($0) / 100 }) }

  /// In hundredths; halves to the even one, so that a probability and its rest still add up to 1.
  private var rounded: [Int] { values.map { Int(($0 * 100).rounded(.toNearestOrEven)) } }
}
