import Registry
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand

@Suite(.ownThread) struct SourceLinesTests {
  @Test func `blank lines, comments and conditions are not counted`() {
    let text = "#if A\nimport A\n\n// why\n  /// what\nlet b = 1  // one\n}\n#endif\n"
    #expect(SourceLines.lines(in: text) == 3)
  }

  @Test func `comments are removed and strings keep their quotes`() {
    let text = "a // \"b\nlet c = \"d \\\" // e\"\nlet f = \"\"\"\n  g \"h\"\n  \"\"\"\ni\n"
    let code = SourceTarget.code(of: text).joined(separator: "\n")
    #expect(!["b", "d", "e\"", "g", "h"].contains { code.contains($0) })
    #expect(code.hasPrefix("a \nlet c = \"\"") && code.hasSuffix("\ni\n"))
    #expect(SourceLines.lines(in: text) == 6)
    #expect(SourceLines.lines(in: "let a = \"\"\"\n  b \\\n  c\n  \"\"\"\n") == 4)
  }

  /// What a pattern's file reaches: its own 3 lines, and those of `others`.
  @Test(arguments: [
    ("nothing", "", 0),
    ("a type counts whole", "struct Shared {\n  let a = 1\n  // why\n\n  func b() {}\n}\n", 4),
    ("what it reaches counts too", "func shared() { further() }\nfunc further() {}\nfunc other() {}\n", 2),
    ("what reaches one another counts once", "func shared() { further() }\nfunc further() { shared() }\n", 2),
    ("a mention in a comment is none", "// shared\nfunc further() {}\n", 0),
    ("an extension's members", "extension Service {\n  func shared() {}\n  func other() {}\n}\n", 3),
    ("its frame once", "extension S {\n  func shared() {}\n  var Shared: Int { 1 }\n}\n", 4),
    ("members of a type that is not reached", "class T {}\nextension T {\n  func shared() {}\n}\n", 0),
    ("members of a type that is", "class Shared {}\nextension Shared {\n  func shared() {}\n}\n", 4),
    ("what conforms, with its type", "class Shared {}\nextension Shared: P {\n  func other() {}\n}\n", 4),
    ("an initialiser by its label", "extension S {\n  init(shared: Int) {}\n  init(other: Int) {}\n}\n", 3),
    ("what is private to another file", "private func shared() {}\n", 0),
    ("an operator, with its owner", "extension Shared {\n  static func + (a: Int, b: Int) {}\n}\n", 3),
    (
      "several lines",
      "@inline(never)\npublic func shared<A>(\n  a: A\n) -> A\nwhere A: B {\n  a\n}\nlet y = 1\n", 6
    ),
  ])
  func `a pattern counts the declarations that it reaches`(_ what: String, others: String, lines: Int) {
    let pattern = "// other()\nfunc publish(_ x: Shared) {\n  shared(\"further\")\n}\n"
    let target = SourceTarget([
      "Publish.swift": pattern, "Others.swift": others, "C.swift": "func unused() {}\n",
    ])
    #expect(target.lines(reachedFrom: "Publish.swift") == 3 + lines)
    #expect(target.lines(reachedFrom: "Race.swift") == nil)
  }
}
