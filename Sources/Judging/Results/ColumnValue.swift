/// A known value of one column, for formats other than CSV.
public enum ColumnValue: Sendable, Hashable {
  case integer(Int)
  /// Rounded to nine significant digits, as in the CSV file.
  case decimal(Double)
  case text(String)
  case flag(Bool)
  case list([Double])

  public init(rounding value: Double) {
    self = value.columnValue
  }
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
