import TestSupport
import Testing

@testable import FanoutCommand

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
