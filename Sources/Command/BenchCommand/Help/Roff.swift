/// Text that means nothing but itself to a formatter of manual pages.
enum Roff {
  static func text(_ text: some StringProtocol) -> String {
    let escaped = text.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\\": "\\e"
      case "-": "\\-"
      case "'": "\\(aq"
      case "`": "\\(ga"
      case "\n": " "
      case _ where scalar.isASCII: String(scalar)
      default: "\\[u\(hexadecimal(scalar))]"
      }
    }.joined()
    // A dot would begin a request.
    return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
  }

  /// Lines of text that are broken at spaces, as long ones are frowned upon, and after each sentence.
  static func folded(_ lines: [String]) -> [String] {
    lines.flatMap { line -> [String] in
      if line.hasPrefix(".") { return [line] }
      var folded: [String] = []
      for word in line.split(separator: " ", omittingEmptySubsequences: false) {
        if let last = folded.last, last.utf8.count + 1 + word.utf8.count <= longestLine, !last.hasSuffix(".")
        {
          folded[folded.count - 1] = "\(last) \(word)"
        } else {
          folded.append(word.hasPrefix(".") ? "\\&\(word)" : String(word))
        }
      }
      return folded
    }
  }

  private static let longestLine = 80

  static func bold(_ text: String) -> String { "\\fB\(Self.text(text))\\fR" }
  static func italic(_ text: String) -> String { "\\fI\(Self.text(text))\\fR" }

  /// One argument of a request, with whatever spaces.
  static func argument(_ text: String) -> String {
    "\"\(Self.text(text).replacing("\"", with: "\\(dq"))\""
  }

  private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
