/// The probabilities that a contender is the fastest in a scenario, the second fastest, and so on.
public struct RankProbabilities: Sendable, Equatable {
  public let values: [Double]

  /// - Parameter values: at least one probability, each from 0 to 1.
  public init(_ values: [Double]) {
    precondition(
      !values.isEmpty && values.allSatisfy((0...1).contains),
      "RankProbabilities needs at least one value, each from 0 to 1")
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

  /// The probabilities with two decimals; the random draws give no more precision.
  func csvText() -> String {
    rounded.map { "\($0 / 100).\($0 / 10 % 10)\($0 % 10)" }.joined(separator: String(Self.separator))
  }

  var columnValue: ColumnValue { .list(rounded.map { Double($0) / 100 }) }

  /// Probabilities in hundredths. Halves are rounded to even, so that a probability and its complement add up to 1.
  private var rounded: [Int] { values.map { Int(($0 * 100).rounded(.toNearestOrEven)) } }
}

/// The names of the counts that were equal in all counted samples of a contender, as in the columns of samples.csv.
public struct ExactCounts: Sendable, Equatable {
  public let names: [String]

  public init(_ names: [String]) { self.names = names }

  /// The quantities that are counted apart from timing.
  public static let countable: [(name: String, value: @Sendable (Sample) -> Int?)] = [
    ("allocations", { $0.allocations }), ("allocated_bytes", { $0.allocatedBytes }),
    ("objects", { $0.objects }), ("retains", { $0.retains }), ("releases", { $0.releases }),
  ]
}

/// Formats a list as a CSV field. An empty list becomes `none`, because an empty field means unknown.
private enum Parts {
  static func of(_ text: String) -> [String] {
    text == "none" ? [] : text.split(separator: ";").map(String.init)
  }

  static func text(_ parts: [String]) -> String { parts.isEmpty ? "none" : parts.joined(separator: ";") }
}

extension ExactCounts: CSVField {
  init(csvText: String) throws(FieldProblem) {
    let names = Parts.of(csvText)
    for name in names where !Self.countable.contains(where: { $0.name == name }) {
      throw FieldProblem("holds \"\(SafeText.excerpt(name))\", which is not the name of a count")
    }
    self.init(names)
  }

  func csvText() -> String { Parts.text(names) }

  var columnValue: ColumnValue { .text(csvText()) }
}

/// The ranges of the counts that varied between the counted samples of a contender.
public struct CountRanges: Sendable, Equatable {
  /// The range of a count per upload, with the name of the count's column in samples.csv.
  public struct Entry: Sendable, Equatable {
    public let name: String
    public let least: Double
    public let most: Double

    public init(name: String, least: Double, most: Double) {
      self.name = name
      self.least = least
      self.most = most
    }
  }

  public let entries: [Entry]

  public init(_ entries: [Entry]) { self.entries = entries }
}

extension CountRanges: CSVField {
  init(csvText: String) throws(FieldProblem) {
    var entries: [Entry] = []
    for text in Parts.of(csvText) {
      let parts = text.split(separator: "=", maxSplits: 1)
      let bounds = parts.count == 2 ? parts[1].split(separator: "..").compactMap { Double($0) } : []
      guard bounds.count == 2, bounds.allSatisfy(\.isFinite), bounds[0] >= 0, bounds[0] <= bounds[1],
        ExactCounts.countable.contains(where: { $0.name == parts[0] })
      else {
        throw FieldProblem("holds \"\(SafeText.excerpt(text))\", which is not the range of a count")
      }
      entries.append(Entry(name: String(parts[0]), least: bounds[0], most: bounds[1]))
    }
    self.init(entries)
  }

  func csvText() -> String { Parts.text(entries.map { "\($0.name)=\($0.least)..\($0.most)" }) }

  var columnValue: ColumnValue { .text(csvText()) }
}
