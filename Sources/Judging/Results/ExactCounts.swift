/// Which counts of a cell are the same in every counting pass, by their columns' names in samples.csv; none is an answer,
/// too.
public struct ExactCounts: Sendable, Hashable {
  public let names: [String]

  public init(_ names: [String]) { self.names = names }

  /// What can be counted in a pass of its own.
  public static let countable: [(name: String, value: @Sendable (Sample) -> Int?)] = [
    ("allocations", { $0.allocations }), ("allocated_bytes", { $0.allocatedBytes }),
    ("objects", { $0.objects }),
    ("retains", { $0.retains }), ("releases", { $0.releases }),
  ]
}

extension ExactCounts: CSVField {
  private static let separator = ";"
  private static let none = "none"

  init(csvText: String) throws(FieldProblem) {
    let names = csvText == Self.none ? [] : csvText.split(separator: Self.separator).map(String.init)
    for name in names where !Self.countable.contains(where: { $0.name == name }) {
      throw FieldProblem("holds \"\(SafeText.excerpt(name))\", which is not counted")
    }
    self.init(names)
  }

  func csvText() -> String { names.isEmpty ? Self.none : names.joined(separator: Self.separator) }

  var columnValue: ColumnValue { .text(csvText()) }
}
