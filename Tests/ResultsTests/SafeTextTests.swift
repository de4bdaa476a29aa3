import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct SafeTextTests {
  @Test(arguments: [
    ("media 3 differs", "media 3 differs"), ("=1+1", "'=1+1"), ("+49", "'+49"), ("-1", "'-1"),
    ("@sum", "'@sum"),
    ("  =1", "'  =1"), ("\t=1", "' =1"), ("\r\n=1", "'  =1"), ("＝1", "'＝1"), ("a=1", "a=1"),
    ("a\nb\u{0}c\u{7F}d\u{85}e\u{2028}f", "a b c d e f"), ("ünïcode 🎞", "ünïcode 🎞"), ("", ""),
  ])
  func `a spreadsheet finds no formula and no control character`(text: String, expected: String) {
    #expect(SafeText.neutralised(text) == expected)
    #expect(SafeText.neutralised(expected) == expected)
  }

  @Test(arguments: [
    ("a\u{1B}[31mred\u{7}", #"a\u{1B}[31mred\u{07}"#), ("two\r\nlines", #"two\r\nlines"#),
    ("\u{9B}2J\u{2028}", #"\u{009B}2J\u{2028}"#), ("gpj.\u{202E}exe", #"gpj.\u{202E}exe"#),
    ("=1 ünïcode 👩‍👧 \"'<b>", "=1 ünïcode 👩‍👧 \"'<b>"), ("", ""),
  ])
  func `a terminal receives no control sequence`(text: String, expected: String) {
    #expect(SafeText.visible(text) == expected)
    #expect(SafeText.visible(expected) == expected)
  }

  @Test func `an excerpt is short`() {
    #expect(SafeText.excerpt(String(repeating: "x", count: 1_000)).count == 41)
  }
}
