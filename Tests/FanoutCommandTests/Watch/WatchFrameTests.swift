import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct WatchFrameTests {
  private let frame = WatchFrame(
    headline: ["bar", "", "words"],
    tables: [["one", "a"], ["two", "b"], ["three", "c", "d", "e", "f", "g", "h", "i"]])

  @Test func whatFitsIsShownWhole() {
    #expect(
      frame.lines(columns: 80, height: 30, page: 7) == [
        "bar", "", "words", "", "one", "a", "", "two", "b", "", "three", "c", "d", "e", "f", "g", "h", "i",
      ])
  }

  @Test func whatDoesNotFitIsTurnedPageByPage() {
    let last = "; at the end there are all of them"
    let pages = [
      ["", "one", "a", "", "two", "b", "page 1 of 2" + last],
      ["", "three", "c", "d", "e", "f", "page 2 of 2" + last],
    ]
    for (page, expected) in (pages + pages).enumerated() {
      #expect(frame.lines(columns: 80, height: 10, page: page) == frame.headline + expected)
    }
  }

  @Test(arguments: 0...20)
  func noFrameIsTallerOrWiderThanTheTerminal(height: Int) {
    for page in 0..<4 {
      let lines = frame.lines(columns: 3, height: height, page: page)
      #expect(lines.count <= height)
      #expect(lines.allSatisfy { $0.count <= 3 })
    }
  }

  @Test(arguments: [
    ("plain text", 5, "plain"), ("short", 80, "short"),
    ("\u{1B}[32mgreen\u{1B}[0m", 3, "\u{1B}[32mgre\u{1B}[0m"), ("±µ█▒", 3, "±µ█"), ("x", 0, ""),
  ])
  func coloursTakeNoColumnAndEnd(line: String, columns: Int, expected: String) {
    #expect(WatchFrame.cut(line, columns) == expected)
  }
}
