import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct TerminalTests {
  @Test(arguments: [(0, 0, 80, 24), (120, 0, 120, 24), (0, 50, 80, 50), (132, 43, 132, 43)])
  func `a terminal of unknown size has 80 columns and 24 lines`(
    columns: Int, lines: Int, width: Int, height: Int
  ) {
    #expect(Terminal.size(columns: columns, lines: lines) == (width, height))
  }

  @Test func `control characters in a remark are escaped`() {
    #expect(Terminal.progressLines("left out a\u{1B}[2J\nb").hasSuffix(#": left out a\u{1B}[2J\nb"#))
  }

  @Test(
    arguments: [
      ([:], true), (["TERM": "xterm"], true), (["TERM": "dumb"], false), (["NO_COLOR": "1"], false),
      (["NO_COLOR": ""], true),
    ] as [([String: String], Bool)])
  func `NO_COLOR and a dumb terminal turn colours off`(environment: [String: String], isPermitted: Bool) {
    #expect(Terminal.permitsColour(environment) == isPermitted)
  }
}
