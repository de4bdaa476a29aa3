/// A column of a CSV file: its name and unit, how to convert and check a value, and how to compute it from samples.
public final class Column<Row: Sendable>: Sendable {
  public let name: String
  /// A unit such as `ns`, `count` or `name`, or a list of the allowed words.
  public let unit: String
  public let isRequired: Bool
  /// Computes the value from samples; `nil` if the value does not come from samples.
  public let fill: (@Sendable (SampleGroup, inout Row) -> Void)?
  private let get: @Sendable (Row) -> (any CSVField)?
  private let set: @Sendable (String?, inout Row) throws(FieldProblem) -> Void
  let check: ColumnCheck
  let type: Any.Type

  convenience init<Value: CSVField>(
    _ name: String, _ path: WritableKeyPath<Row, Value> & Sendable, unit: String = Value.unit,
    check: ColumnCheck? = nil
  ) {
    let check = check ?? .usual(unit)
    self.init(name, unit, Value.self, isRequired: true, check, get: { $0[keyPath: path] }, fill: nil) {
      text, row throws(FieldProblem) in
      guard let text else { throw FieldProblem("is empty, but this column always has a value") }
      row[keyPath: path] = try check.value(text)
    }
  }

  /// A column whose fields are empty where the value is unknown; `sum` computes it from samples.
  convenience init<Value: CSVField>(
    _ name: String, _ path: WritableKeyPath<Row, Value?> & Sendable, unit: String = Value.unit,
    check: ColumnCheck? = nil, from sum: (@Sendable (SampleGroup) -> Value?)? = nil
  ) {
    let check = check ?? .usual(unit)
    let fill = sum.map { sum -> @Sendable (SampleGroup, inout Row) -> Void in
      { samples, row in row[keyPath: path] = sum(samples) }
    }
    self.init(name, unit, Value.self, isRequired: false, check, get: { $0[keyPath: path] }, fill: fill) {
      text, row throws(FieldProblem) in
      row[keyPath: path] = if let text { try check.value(text) } else { nil }
    }
  }

  convenience init(
    _ name: String, _ path: WritableKeyPath<Row, Unknown> & Sendable, unit: String, check: ColumnCheck? = nil
  ) {
    let check = check ?? .usual(unit)
    // The key path leads to the stored property, since one to the optional integer is several times slower.
    self.init(
      name, unit, Int.self, isRequired: false, check, get: { $0[keyPath: path].wrappedValue }, fill: nil
    ) { text, row throws(FieldProblem) in
      row[keyPath: path].wrappedValue = if let text { try check.value(text) } else { nil }
    }
  }

  private init(
    _ name: String, _ unit: String, _ type: Any.Type, isRequired: Bool, _ check: ColumnCheck,
    get: @escaping @Sendable (Row) -> (any CSVField)?, fill: (@Sendable (SampleGroup, inout Row) -> Void)?,
    set: @escaping @Sendable (String?, inout Row) throws(FieldProblem) -> Void
  ) {
    (self.name, self.unit, self.type, self.isRequired) = (name, unit, type, isRequired)
    (self.check, self.get, self.fill, self.set) = (check, get, fill, set)
  }

  public func value(_ row: Row) -> ColumnValue? { get(row)?.columnValue }

  func write(_ row: Row) throws(FieldProblem) -> String {
    guard let value = get(row) else { return "" }
    try value.pass(check)
    return try value.csvText()
  }

  func read(_ text: String, _ row: inout Row) throws(FieldProblem) {
    // The values of a new row are unknown already.
    if text.isEmpty, !isRequired { return }
    try set(text.isEmpty ? nil : text, &row)
  }

  func part<Whole>(of path: WritableKeyPath<Whole, Row> & Sendable) -> Column<Whole> {
    let (get, set) = (get, set)
    return Column<Whole>(
      name, unit, type, isRequired: isRequired, check, get: { get($0[keyPath: path]) }, fill: nil
    ) { text, whole throws(FieldProblem) in try set(text, &whole[keyPath: path]) }
  }
}

enum ColumnCheck {
  case any, notNegative
  /// A time: not negative, and at most ten days, the longest time that any option accepts.
  case time
  /// A count: not negative, and at most 2^53.
  case count
  case positive
  /// A name of a contender, scenario, pattern or service.
  case name
  case runName

  static func usual(_ unit: String) -> ColumnCheck {
    switch unit {
    case "name": .name
    case "ns": .time
    case "count", "bytes": .count
    case "bytes/s", "ratio", "share", "posts per second": .notNegative
    default: .any
    }
  }

  func value<Value: CSVField>(_ text: String) throws(FieldProblem) -> Value {
    let value = try Value(csvText: text)
    try value.pass(self)
    return value
  }
}

/// A known value of a column, for formats other than CSV.
public enum ColumnValue: Sendable, Hashable {
  case integer(Int)
  /// Rounded to nine significant digits, as in a CSV file.
  case decimal(Double)
  case text(String)
  case flag(Bool)
  case list([Double])

  public init(rounding value: Double) { self = value.columnValue }
}

extension ColumnValue: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .integer(let value): try container.encode(value)
    case .decimal(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .flag(let value): try container.encode(value)
    case .list(let values): try container.encode(values)
    }
  }
}
