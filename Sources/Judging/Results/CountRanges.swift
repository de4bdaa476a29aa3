/// Between which counts per upload the counting passes of a cell lie, for each count that is not exact; none is an answer,
/// too.
public struct CountRanges: Sendable, Hashable {
  /// Of one count, by its column's name in samples.csv.
  public struct Entry: Sendable, Hashable {
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
  private static let separator = ";"
  private static let none = "none"

  init(csvText: String) throws(FieldProblem) {
    var entries: [Entry] = []
    for text in csvText == Self.none ? [] : csvText.split(separator: Self.separator) {
      let parts = text.split(separator: "=", maxSplits: 1)
      let bounds = parts.count == 2 ? parts[1].split(separator: "..").compactMap { Double($0) } : []
      guard bounds.count == 2, bounds.allSatisfy(\.isFinite), bounds[0] >= 0, bounds[0] <= bounds[1],
        ExactCounts.countable.contains(where: { $0.name == parts[0] })
      else {
        throw FieldProblem("holds \"\(SafeText.excerpt(String(text)))\", which is not the range of a count")
      }
      entries.append(Entry(name: String(parts[0]), least: bounds[0], most: bounds[1]))
    }
    self.init(entries)
  }

  func csvText() -> String {
    entries.isEmpty
      ? Self.none
      : entries.map { "\($0.name)=\($0.least)..\($0.most)" }.joined(separator: Self.separator)
  }

  var columnValue: ColumnValue { .text(csvText()) }
}
