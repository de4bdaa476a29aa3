import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct RoffTests {
  @Test(arguments: [
    ("--a", "\\-\\-a"), ("a\\b", "a\\eb"), (".x", "\\&.x"), ("'x'", "\\(aqx\\(aq"),
    ("500µs", "500\\[u00B5]s"),
    ("RUN…", "RUN\\[u2026]"), ("`a`", "\\(gaa\\(ga"),
  ])
  func nothingIsTakenForARequest(text: String, roff: String) {
    #expect(Roff.text(text) == roff)
  }

  @Test func linesAreFoldedAndSentencesBeginOne() {
    let long = (1...30).map { "word\($0)" }.joined(separator: " ")
    let folded = Roff.folded([".PP", long, "One. .two"])
    #expect(folded.allSatisfy { $0.count <= 80 })
    #expect(folded.dropFirst().dropLast(2).joined(separator: " ") == long)
    #expect(folded.suffix(2) == ["One.", "\\&.two"])
  }
}
