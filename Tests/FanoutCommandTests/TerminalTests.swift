import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct TerminalTests {
  @Test(arguments: [(0, 0, 80, 24), (120, 0, 120, 24), (0, 50, 80, 50), (132, 43, 132, 43)])
  func aTerminalThatDoesNotSayItsSizeHasTheUsualOne(columns: Int, lines: Int, width: Int, height: Int) {
    #expect(Terminal.size(columns: columns, lines: lines) == (width, height))
  }

  @Test func aNameInARemarkIsText() {
    #expect(Terminal.progressLines("left out a\u{1B}[2J\nb").hasSuffix(#": left out a\u{1B}[2J\nb"#))
  }

  @Test(
    arguments: [
      ([:], true), (["TERM": "xterm"], true), (["TERM": "dumb"], false), (["NO_COLOR": "1"], false),
      (["NO_COLOR": ""], true),
    ] as [([String: String], Bool)])
  func whoWantsNoColourGetsNone(environment: [String: String], isPermitted: Bool) {
    #expect(Terminal.permitsColour(environment) == isPermitted)
  }
}
