import Foundation
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct UnifiedDiffTests {
  private func text(_ lines: Range<Int>, changing: [Int: String?] = [:]) -> String {
    lines.compactMap { changing[$0] ?? "line \($0)" }.map { $0 + "\n" }.joined()
  }

  @Test func `equal texts give an empty diff`() {
    #expect(UnifiedDiff.text(from: text(0..<9), to: text(0..<9), path: "f") == "")
  }

  @Test func `a change has three lines of context on each side`() {
    #expect(
      UnifiedDiff.text(from: text(0..<20), to: text(0..<20, changing: [9: "new"]), path: "f") == """
        --- f
        +++ f
        @@ -7,7 +7,7 @@
         line 6
         line 7
         line 8
        -line 9
        +new
         line 10
         line 11
         line 12

        """)
  }

  /// `patch` is the judge: it must make the new text of the old one.
  @Test(arguments: [
    [0: "first" as String?], [19: "last"], [3: nil], [3: "x\ny\nz"], [2: nil, 9: "a", 10: "b", 18: nil],
    Dictionary(uniqueKeysWithValues: (0..<20).map { ($0, "other \($0)" as String?) }),
  ])
  func `git applies the diff and gets the new text`(changing: [Int: String?]) throws {
    let scratch = try Scratch()
    let folder = scratch.folder
    let (old, new) = (text(0..<20), text(0..<20, changing: changing))
    try Data(old.utf8).write(to: folder.appendingPathComponent("f"))
    try Data(UnifiedDiff.text(from: old, to: new, path: "f").utf8).write(
      to: folder.appendingPathComponent("change"))
    let result = try Tool.run("git", ["apply", "--unsafe-paths", "change"], in: folder)
    #expect(result.status == 0, "\(result.output)")
    #expect(try String(contentsOf: folder.appendingPathComponent("f"), encoding: .utf8) == new)
  }

  @Test func `a new file is all additions`() {
    #expect(
      UnifiedDiff.text(from: "", to: "a\nb\n", path: "f") == "--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n"
    )
  }
}
