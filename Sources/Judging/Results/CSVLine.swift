/// One line of RFC 4180 text.
///
/// A field never holds a line break here (``SafeText`` sees to it), so a row is a line and a line is a row.
enum CSVLine {
  /// The fields joined by commas and ended by LF, quoted only where they must be.
  static func join(_ fields: [String]) -> String {
    fields.map(quotedIfNeeded).joined(separator: ",") + "\n"
  }

  /// The fields of a line given without its LF.
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
      case (.quoteInQuoted, _):
        throw FieldProblem("has a closing quote that is not followed by a comma")
      case (.plain, quote):
        throw FieldProblem("has a quote inside an unquoted field")
      case (.start, _):
        field.append(byte)
        state = .plain
      case (.plain, _), (.quoted, _): field.append(byte)
      }
    }
    if state == .quoted { throw FieldProblem("has a quoted field that does not end") }
    fields.append(try text(field))
    return fields
  }

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
    // Printable ASCII, as nearly every field is, needs no second look.
    if bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) { return String(decoding: bytes, as: UTF8.self) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw FieldProblem("has bytes that are not UTF-8")
    }
    if text.unicodeScalars.contains(where: SafeText.isControl) {
      throw FieldProblem("has a control character in a field")
    }
    return text
  }
}
