import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct SealTests {
  private func content(_ text: String, at nanoseconds: UInt64 = 5, hasChildren: Bool = false) -> Seal.Content
  { Seal.Content(text: Array(text.utf8), nanoseconds: nanoseconds, hasChildren: hasChildren) }

  @Test func `sealed lines are read in order`() {
    var (worker, parent) = (Seal(secret: "s"), Seal(secret: "s"))
    for content in [content("a b  c"), content("", at: .max), content("{}", hasChildren: true)] {
      #expect(parent.open(worker.close(content)) == content)
    }
  }

  @Test func `a wrong secret, number or text is rejected`() {
    var worker = Seal(secret: "s")
    let first = worker.close(content("a"))
    let second = worker.close(content("a"))
    func opens(_ line: [UInt8], secret: String = "s") -> Bool {
      var parent = Seal(secret: secret)
      return parent.open(line) != nil
    }
    #expect(opens(first))
    #expect(!opens(first, secret: "t"))
    #expect(!opens(second))
    #expect(!opens(first.dropLast() + Array("b".utf8)))
    for line in ["", "{}", "1 2 3", "1 2 3 4", "x y z {}"] { #expect(!opens(Array(line.utf8)), "\(line)") }
    var parent = Seal(secret: "s")
    #expect(parent.open(first) != nil && parent.open(first) == nil)
  }

  @Test func `more CPU time than the processors have is rejected`() {
    var claims = Claims()
    for _ in 0..<100 { #expect(claims.excess((2_000_000, 1_000_000), processors: 2) == nil) }
    var seen: String?
    for _ in 0..<100 { seen = seen ?? claims.excess((4_000_000, 1_000_000), processors: 2) }
    #expect(seen == "its processor time is more than 2 processors have in its time")
  }
}
