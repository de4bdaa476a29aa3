import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct StderrExcerptTests {
  @Test(arguments: [
    ("", ""), ("measuring …\n", ""),
    (
      "ready\na.swift:1: Fatal error: no such thing\nstack:\n",
      ", saying “a.swift:1: Fatal error: no such thing”"
    ),
    (
      "FoundationNetworking/NativeProtocol.swift:1: Fatal error: Transfer completed, but there's no response.\n",
      ", saying “FoundationNetworking/NativeProtocol.swift:1: Fatal error: Transfer completed, but there's no response.”: the server cut an answer off inside its headers, and Foundation ends the process for that; it is not the contender's doing"
    ),
  ])
  func `the error line is quoted, with its cause where known`(_ words: String, quote: String) {
    #expect(StderrExcerpt.quote(words) == quote)
  }

  @Test func `a long line is cut short`() {
    #expect(StderrExcerpt.quote("error " + String(repeating: "x", count: 1_000)).count < 250)
  }
}
