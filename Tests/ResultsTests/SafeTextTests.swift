import Foundation
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

@Suite(.ownThread) struct SystemReasonTests {
  @Test(arguments: [
    (NSError(domain: NSPOSIXErrorDomain, code: Int(EMFILE)), EMFILE),
    (
      NSError(
        domain: NSCocoaErrorDomain, code: 512,
        userInfo: [NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(EROFS))]), EROFS
    ), (NSError(domain: NSCocoaErrorDomain, code: CocoaError.Code.fileReadNoPermission.rawValue), EACCES),
    (NSError(domain: NSCocoaErrorDomain, code: CocoaError.Code.fileWriteNoPermission.rawValue), EACCES),
  ])
  func `the system's reason is found behind Foundation's words`(error: NSError, number: Int32) {
    #expect(SystemReason.of(error) == String(cString: strerror(number)))
  }

  @Test func `a file in place of a folder is reported`() {
    let error = #expect(throws: (any Error).self) {
      try FileManager.default.createDirectory(atPath: "\(#filePath)/sub", withIntermediateDirectories: true)
    }
    #expect(error.map(SystemReason.of) == "Not a directory")
  }

  /// A name too long for every file system stands for a folder without permissions, which root ignores.
  @Test func `a hidden file is not taken for a missing one`() {
    #expect(SystemReason.ofHiding("/") == nil)
    #expect(SystemReason.ofHiding("/nowhere/at/all") == nil)
    #expect(SystemReason.ofHiding("/" + String(repeating: "x", count: 300)) == "File name too long")
  }
}
