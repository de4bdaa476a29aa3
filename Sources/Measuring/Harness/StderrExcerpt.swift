import Results

/// What a process said before it ended, as a report quotes it.
struct StderrExcerpt {
  private let text: String

  init(_ text: String) { self.text = text }

  /// The line that tells of an error, and whose doing it was where that is known; empty if no line does.
  var quote: String {
    let line = text.split(separator: "\n").first {
      $0.localizedStandardContains("error") || $0.contains("overflow")
    }
    guard let line else { return "" }
    let cause = Self.causes.first { text.contains($0.words) }.map { ": \($0.cause)" } ?? ""
    return ", saying “\(SafeText.excerpt(line, 200))”\(cause)"
  }

  /// Ends that are not the doing of whoever's process it was.
  private static let causes = [
    (
      words: "Transfer completed, but there's no response",
      cause:
        "the server cut an answer off inside its headers, and Foundation ends the process for that; it is not the contender's doing"
    )
  ]
}
