import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct ClaimsTests {
  @Test func `a worker that claims more processor time than there is is seen`() {
    var claims = Claims()
    for _ in 0..<100 { #expect(claims.excess((2_000_000, 1_000_000), processors: 2) == nil) }
    var seen: String?
    for _ in 0..<100 { seen = seen ?? claims.excess((4_000_000, 1_000_000), processors: 2) }
    #expect(seen == "its processor time is more than 2 processors have in its time")
  }
}
