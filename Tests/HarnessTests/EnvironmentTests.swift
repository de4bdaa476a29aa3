import Foundation
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct EnvironmentTests {
  @Test(arguments: [
    ("Swift version 6.3.1 (swift-6.3.1-RELEASE)", "swift-6.3.1-RELEASE"),
    ("Swift version 6.4-dev (LLVM 1234, Swift 5678)", "swift-6.4-dev"),
    (
      "swift-driver version: 1.115 Apple Swift version 6.0.2 (swiftlang-6.0.2.1.2 clang-1600)",
      "swiftlang-6.0.2.1.2"
    ),
    ("zsh: no such command", nil),
  ])
  func `a toolchain's name comes from its version line`(line: String, name: String?) {
    #expect(Environment.toolchain(inVersion: line) == name)
  }

  /// Not that of wherever the run was started.
  @Test func `the commit is that of the repository around the folder`() {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    #expect(Environment.commit(ofRepositoryAround: folder).commit?.count == 40)
    let none = Environment.commit(ofRepositoryAround: "/")
    #expect(none.commit == nil && none.isDirty == nil)
  }
}
