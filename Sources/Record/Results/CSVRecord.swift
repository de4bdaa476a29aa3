import Foundation

/// A record that is created empty and then filled field by field.
public protocol FilledRecord: Sendable {
  init()
}

extension FilledRecord {
  public init(_ fill: (inout Self) throws -> Void) rethrows {
    self.init()
    try fill(&self)
  }
}

/// A row of one of the suite's CSV files, whose columns results/README.md explains.
public protocol CSVRecord: FilledRecord {
  static var columns: [Column<Self>] { get }
  /// The number of columns of the file's first version. Files may lack later columns.
  static var firstColumnCount: Int { get }
  /// The advice for an unusable file, such as `record the run again`.
  static var remedy: String { get }
  /// The command-line option that names the file.
  static var option: String { get }
  /// The row's scenario and its number of uploads, which is the same in all its rows; `nil` for rows without a scenario.
  var width: (scenario: String, fanOut: Int)? { get }
  /// Checks the columns against each other, before a row is written and after one is read.
  func validate() throws(FieldProblem)
}

extension CSVRecord {
  public static var firstColumnCount: Int { columns.count }
  public static var remedy: String { "record the run again" }
  public static var option: String { "--output" }
  public var width: (scenario: String, fanOut: Int)? { nil }
  public func validate() throws(FieldProblem) {}

  static var header: String { CSVLine.join(columns.map(\.name)) }

  func csvLine() throws(ResultsError) -> String {
    var fields: [String] = []
    for column in Self.columns {
      do throws(FieldProblem) {
        fields.append(try column.write(self))
      } catch {
        throw .refused(column: column.name, problem: error.description)
      }
    }
    do throws(FieldProblem) {
      try validate()
    } catch {
      throw .refused(column: "the row:", problem: error.description)
    }
    return CSVLine.join(fields)
  }
}

/// The text of a CSV file.
public enum CSVText {
  public static func text<Row: CSVRecord>(_ rows: [Row]) throws(ResultsError) -> String {
    var text = Row.header
    for row in rows { text += try row.csvLine() }
    return text
  }
}

/// What is wrong with a value, as the predicate of a sentence whose subject is the column.
public struct FieldProblem: Error, Equatable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Formats and parses a line of CSV (RFC 4180). Fields contain no line breaks, so a row is one line.
enum CSVLine {
  static func join(_ fields: [String]) -> String { fields.map(quotedIfNeeded).joined(separator: ",") + "\n" }

  static func split(_ line: some Sequence<UInt8>) throws(FieldProblem) -> [String] {
    var fields: [String] = []
    var field: [UInt8] = []
    var state = State.start
    for byte in line {
      switch (state, byte) {
      case (.start, quote): state = .quoted
      case (.quoted, quote): state = .quoteInQuoted
      case (.quoteInQuoted, quote):
        field.append(quote)
        state = .quoted
      case (.start, comma), (.plain, comma), (.quoteInQuoted, comma):
        fields.append(try text(field))
        field.removeAll(keepingCapacity: true)
        state = .start
      case (.quoteInQuoted, _), (.plain, quote): throw misquoted
      case (.start, _):
        field.append(byte)
        state = .plain
      case (.plain, _), (.quoted, _): field.append(byte)
      }
    }
    if state == .quoted { throw misquoted }
    fields.append(try text(field))
    return fields
  }

  static let notUTF8 = FieldProblem("has bytes that are not UTF-8")
  private static let misquoted = FieldProblem("has a quote that is not closed, or stands within a field")

  private enum State { case start, plain, quoted, quoteInQuoted }

  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")

  private static func quotedIfNeeded(_ field: String) -> String {
    guard field.utf8.contains(where: { $0 == quote || $0 == comma || $0 == 0x0A || $0 == 0x0D }) else {
      return field
    }
    return "\"" + field.replacing("\"", with: "\"\"") + "\""
  }

  private static func text(_ bytes: [UInt8]) throws(FieldProblem) -> String {
    // Fast path: nearly every field is printable ASCII.
    if bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) { return String(decoding: bytes, as: UTF8.self) }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw notUTF8 }
    if text.unicodeScalars.contains(where: SafeText.isControl) {
      throw FieldProblem("has a control character in a field")
    }
    return text
  }
}

/// A type of values in a CSV file.
protocol CSVField: Sendable {
  init(csvText: String) throws(FieldProblem)
  func csvText() throws(FieldProblem) -> String
  var columnValue: ColumnValue { get }
  /// The unit of columns of this type: a list of the allowed words, or an empty text if every value is allowed.
  static var unit: String { get }
  func pass(_ check: ColumnCheck) throws(FieldProblem)
}

extension CSVField {
  static var unit: String { "" }
  func pass(_ check: ColumnCheck) throws(FieldProblem) {}
}

extension Int: CSVField {
  init(csvText: String) throws(FieldProblem) {
    // Some programs store a column with unknown values as floating-point numbers and write 13 as 13.0.
    let whole = csvText.hasSuffix(".0") ? csvText.dropLast(2) : csvText[...]
    guard let value = Int(whole), csvText.utf8.first != UInt8(ascii: "+") else {
      throw FieldProblem("holds \"\(SafeText.excerpt(csvText))\", which is no whole number")
    }
    self = value
  }

  func csvText() -> String { description }

  var columnValue: ColumnValue { .integer(self) }

  func pass(_ check: ColumnCheck) throws(FieldProblem) {
    if check == .any { return }
    if self < 0, check != .positive { throw FieldProblem("is \(self), which is negative") }
    if self < 1, check == .positive { throw FieldProblem("is \(self), which is less than 1") }
    if self > 864_000_000_000_000, check == .time {
      throw FieldProblem("holds \(self) ns, which is more than ten days")
    }
    if self > 1 << 53 { throw FieldProblem("holds \(self), which is more than the largest count, 2^53") }
  }
}

extension Double: CSVField {
  init(csvText: String) throws(FieldProblem) {
    // Double's own parser also accepts "nan", "inf" and hexadecimal.
    let isDecimal = csvText.utf8.allSatisfy { "0123456789.-+eE".utf8.contains($0) }
    guard isDecimal, let value = Double(csvText), value.isFinite else {
      throw FieldProblem("holds \"\(SafeText.excerpt(csvText))\", which is no finite decimal number")
    }
    guard abs(value) <= 1e30 else {
      throw FieldProblem("holds \"\(SafeText.excerpt(csvText))\", which is above the limit of 1e30")
    }
    self = value
  }

  /// The number with at most nine significant digits: further digits are noise and differ between maths libraries.
  func csvText() throws(FieldProblem) -> String {
    guard isFinite else { throw FieldProblem("is \(self), which is no finite number") }
    let rounded = roundedForRecord
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int(rounded)) : rounded.description
  }

  var columnValue: ColumnValue { .decimal(roundedForRecord) }

  func pass(_ check: ColumnCheck) throws(FieldProblem) {
    if [.notNegative, .time, .count].contains(check), self < 0 {
      throw FieldProblem("is \(self), which is negative")
    }
  }

  private var roundedForRecord: Double {
    let digits = 9
    // A probability may be so small that the power of ten below is infinite.
    guard abs(self) > 1e-290, isFinite else { return self }
    let shift = digits - 1 - Int(log10(abs(self)).rounded(.down))
    // Divides by a power of ten, which is exact up to the 22nd, instead of multiplying by an inexact fraction.
    let scale = pow(10, Double(abs(shift)))
    return shift >= 0 ? (self * scale).rounded() / scale : (self / scale).rounded() * scale
  }
}

extension Bool: CSVField {
  init(csvText: String) throws(FieldProblem) {
    guard let value = Bool(csvText.lowercased()) else {
      throw FieldProblem("holds \"\(SafeText.excerpt(csvText))\", which is none of: true, false")
    }
    self = value
  }

  func csvText() -> String { description }

  var columnValue: ColumnValue { .flag(self) }

  static var unit: String { "`true`, `false`" }
}

extension String: CSVField {
  init(csvText: String) { self = csvText }
  func csvText() -> String { SafeText.neutralised(self) }

  var columnValue: ColumnValue { .text(self) }

  func pass(_ check: ColumnCheck) throws(FieldProblem) {
    if check == .name { try RecordName.check(self) }
    if check == .runName { try RecordName.checkRun(self) }
  }
}

extension CSVField where Self: RawRepresentable<String> & CaseIterable {
  init(csvText: String) throws(FieldProblem) {
    guard let value = Self(rawValue: csvText) else {
      let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
      throw FieldProblem("holds \"\(SafeText.excerpt(csvText))\", which is none of: \(known)")
    }
    self = value
  }

  func csvText() -> String { rawValue }

  var columnValue: ColumnValue { .text(rawValue) }

  static var unit: String { allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") }
}

extension Outcome: CSVField {}
extension Verdict: CSVField {}
extension GrowthVerdict: CSVField {}
extension DropReason: CSVField {}
