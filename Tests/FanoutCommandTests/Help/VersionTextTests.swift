import Harness
import Results
import TestSupport
import Testing

@testable import FanoutCommand

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

  @Test func `a build knows its configuration`() {
    #expect(Environment.build().buildConfiguration == (Environment.isReleaseBuild ? "release" : "debug"))
  }
}
