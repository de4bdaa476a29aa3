import Harness
import Results
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

@Suite(.ownThread) struct CommandNameTests {
  @Test(arguments: [
    (".build/release/bench", true, "swift run -c release bench"), ("/opt/bin/bench", false, "/opt/bin/bench"),
    ("bench", false, "bench"),
  ])
  func `suggested commands work where the executable runs`(
    executable: String, isInPackage: Bool, command: String
  ) {
    #expect(CommandName.invocation(from: executable, isInPackage: isInPackage) == command)
  }
}

@Suite(.ownThread) struct VersionTextTests {
  private func text(remark: String? = nil, _ change: (inout EnvironmentRecord) -> Void = { _ in }) -> String {
    var build = EnvironmentRecord()
    (build.commit, build.isDirty) = ("0123456789abcdef", false)
    (build.buildConfiguration, build.toolchain) = ("release", "Swift version 6.3.1")
    change(&build)
    return VersionText.text(of: build, remark: remark)
  }

  @Test func `the version is commit, configuration and toolchain`() {
    let program = CommandName.current
    #expect(text() == "\(program), commit 0123456789ab, release build\nSwift version 6.3.1\n")
    #expect(text { $0.isDirty = true }.contains("commit 0123456789ab + changes, release"))
    #expect(text(remark: "Older.").hasSuffix("\nOlder.\n"))
    #expect(
      text { ($0.commit, $0.toolchain) = (nil, nil) }
        == "\(program), unknown commit, release build\nunknown toolchain\n")
  }
}
