/// The rule that keeps free text in a CSV file harmless when a spreadsheet opens it.
///
/// 1. Every control character (U+0000…U+001F, U+007F…U+009F) and line or paragraph separator becomes one space, so
///    a row is always one line.
/// 2. Text whose first character other than a space is `=`, `+`, `-`, `@` or a full-width form of one of them, which a
///    spreadsheet would run as a formula, gets an apostrophe in front.
///
/// Applying the rule twice changes nothing further. Numbers are not text: a negative number stays as it is.
public enum SafeText {
  /// The text, as it may stand in a cell.
  public static func neutralised(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      scalars.append(isControl(scalar) ? " " : scalar)
    }
    if let first = scalars.first(where: { $0 != " " }), formulaStarts.contains(first) {
      scalars.insert("'", at: scalars.startIndex)
    }
    return String(scalars)
  }

  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: true
    default: false
    }
  }

  /// The start of a text of unknown origin and length, fit for an error message.
  public static func excerpt(_ text: some StringProtocol, _ length: Int = 40) -> String {
    let safe = String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
    return safe.count > length ? safe.prefix(length) + "…" : safe
  }

  /// The text as it may be shown on a terminal, on one line: what would steer it, or turn the order of letters around, is
  /// spelled out, such as `\u{1B}`.
  public static func visible(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { visible, scalar in
      if isControl(scalar) || isTurn(scalar) {
        visible += scalar.escaped(asASCII: true)
      } else {
        visible.unicodeScalars.append(scalar)
      }
    }
  }

  /// Whether letters after it run in another direction than they are.
  private static func isTurn(_ scalar: Unicode.Scalar) -> Bool {
    (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
  }

  private static let formulaStarts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]
}
