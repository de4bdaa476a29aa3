import Foundation

/// A value that one CSV cell can hold; an empty cell is never asked of it.
protocol CSVField: Sendable {
  init(csvText: String) throws(FieldProblem)
  func csvText() throws(FieldProblem) -> String
  var columnValue: ColumnValue { get }
  /// The words it may be, as the column dictionary names them; empty if a column must say its unit.
  static var unit: String { get }
  /// Throws what a column refuses.
  func pass(_ check: ColumnCheck) throws(FieldProblem)
}

extension CSVField {
  static var unit: String { "" }
  func pass(_ check: ColumnCheck) throws(FieldProblem) {}
}

extension Int: CSVField {
  init(csvText: String) throws(FieldProblem) {
    guard let value = Int(csvText), csvText.utf8.first != UInt8(ascii: "+") else {
      throw FieldProblem("holds \"\(SafeText.excerpt(csvText))\", which is no whole number")
    }
    self = value
  }

  func csvText() -> String { description }

  var columnValue: ColumnValue { .integer(self) }

  func pass(_ check: ColumnCheck) throws(FieldProblem) {
    if check == .notNegative, self < 0 { throw FieldProblem("is \(self), which is negative") }
    if check == .positive, self < 1 { throw FieldProblem("is \(self), which is less than 1") }
  }
}

extension Double: CSVField {
  init(csvText: String) throws(FieldProblem) {
    // Double's own parser also takes "nan", "inf" and hexadecimal.
    let isDecimal = csvText.utf8.allSatisfy { "0123456789.-+eE".utf8.contains($0) }
    guard isDecimal, let value = Double(csvText), value.isFinite else {
      throw FieldProblem("holds \"\(SafeText.excerpt(csvText))\", which is no finite decimal number")
    }
    self = value
  }

  /// At most nine significant digits: more is noise, and differs in the last place between maths libraries.
  func csvText() throws(FieldProblem) -> String {
    guard isFinite else { throw FieldProblem("is \(self), which is no finite number") }
    let rounded = roundedForRecord
    return rounded == rounded.rounded() && abs(rounded) < 1e15
      ? String(Int(rounded)) : rounded.description
  }

  var columnValue: ColumnValue { .decimal(roundedForRecord) }

  func pass(_ check: ColumnCheck) throws(FieldProblem) {
    if check == .notNegative, self < 0 { throw FieldProblem("is \(self), which is negative") }
  }

  private var roundedForRecord: Double {
    guard self != 0, isFinite else { return self }
    let digits = 9
    let shift = digits - 1 - Int(log10(abs(self)).rounded(.down))
    // Powers of ten up to 22 are exact, so one direction multiplies and the other divides.
    let scale = pow(10, Double(abs(shift)))
    return shift >= 0 ? (self * scale).rounded() / scale : (self / scale).rounded() * scale
  }
}

extension Bool: CSVField {
  init(csvText: String) throws(FieldProblem) {
    guard let value = Bool(csvText) else {
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
