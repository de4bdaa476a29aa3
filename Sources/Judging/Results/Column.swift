/// One column of a CSV file: its name, its documentation, and how a row's value becomes text and back.
public struct Column<Row: Sendable>: Sendable {
  public let name: String
  /// `ns`, `bytes`, `count`, `name`, `text`, `ratio` or the list of words it may hold.
  public let unit: String
  /// Whether an empty cell is refused.
  public let isRequired: Bool
  /// One or two sentences for the column dictionary.
  public let meaning: String
  /// The row's value, nil where it is unknown.
  public let value: @Sendable (Row) -> ColumnValue?
  let write: @Sendable (Row) throws(FieldProblem) -> String
  let read: @Sendable (String, inout Row) throws(FieldProblem) -> Void

  /// A column whose cell is never empty.
  init<Value: CSVField>(
    _ name: String, _ path: WritableKeyPath<Row, Value> & Sendable, unit: String, _ meaning: String,
    check: @escaping @Sendable (Value) throws(FieldProblem) -> Void = { _ throws(FieldProblem) in }
  ) {
    self.name = name
    self.unit = unit
    self.meaning = meaning
    isRequired = true
    value = { $0[keyPath: path].columnValue }
    write = { row throws(FieldProblem) in
      try check(row[keyPath: path])
      return try row[keyPath: path].csvText()
    }
    read = { text, row throws(FieldProblem) in
      if text.isEmpty { throw FieldProblem("is empty, but this column always has a value") }
      let value = try Value(csvText: text)
      try check(value)
      row[keyPath: path] = value
    }
  }

  /// A column whose cell is empty where the value is unknown.
  init<Value: CSVField>(
    _ name: String, _ path: WritableKeyPath<Row, Value?> & Sendable, unit: String, _ meaning: String,
    check: @escaping @Sendable (Value) throws(FieldProblem) -> Void = { _ throws(FieldProblem) in }
  ) {
    self.name = name
    self.unit = unit
    self.meaning = meaning
    isRequired = false
    value = { $0[keyPath: path]?.columnValue }
    write = { row throws(FieldProblem) in
      guard let value = row[keyPath: path] else { return "" }
      try check(value)
      return try value.csvText()
    }
    read = { text, row throws(FieldProblem) in
      guard !text.isEmpty else { return row[keyPath: path] = nil }
      let value = try Value(csvText: text)
      try check(value)
      row[keyPath: path] = value
    }
  }
}

extension Column {
  /// The same column of a row that has this one as a part.
  func part<Whole>(of path: WritableKeyPath<Whole, Row> & Sendable) -> Column<Whole> {
    Column<Whole>(self, of: path)
  }

  private init<Part>(_ column: Column<Part>, of path: WritableKeyPath<Row, Part> & Sendable) {
    name = column.name
    unit = column.unit
    isRequired = column.isRequired
    meaning = column.meaning
    value = { column.value($0[keyPath: path]) }
    write = { row throws(FieldProblem) in try column.write(row[keyPath: path]) }
    read = { text, row throws(FieldProblem) in try column.read(text, &row[keyPath: path]) }
  }

  /// This column's row in results/README.md.
  public var dictionaryRow: String {
    "| `\(name)` | \(unit) | \(isRequired ? "always" : "or empty") | \(meaning) |"
  }
}

extension CSVRecord {
  /// The table of this record's columns, as it stands in results/README.md.
  public static var dictionary: String {
    (["| column | unit | value | meaning |", "|:---|:---|:---|:---|"] + columns.map(\.dictionaryRow))
      .joined(separator: "\n") + "\n"
  }
}
