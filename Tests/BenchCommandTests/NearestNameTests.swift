import TestSupport
import Testing

@testable import BenchCommand

@Suite(.ownThread) struct NearestNameTests {
  @Test(arguments: [
    ("coroutine", "coroutines"), ("gcd", "gcd-groups" as String?), ("swift-concurency", "swift-concurrency"),
    ("FUTURES", "futures"), ("zebra-crossing", nil),
  ])
  func theNearestNameIsOfferedIfItIsNear(typed: String, offered: String?) {
    let names = ["coroutines", "gcd-groups", "swift-concurrency", "futures"]
    #expect(NearestName.of(typed, among: names) == offered)
  }

  @Test func theBeginningOfANameOffersItRatherThanItsVariants() {
    #expect(NearestName.of("gcd", among: ["gcd-groups/a", "gcd-groups", "gcd-groups/b"]) == "gcd-groups")
  }

  @Test(arguments: [
    ("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("flaw", "lawn", 2),
  ])
  func distanceCountsEdits(a: String, b: String, edits: Int) {
    #expect(NearestName.distance(a, b) == edits)
  }
}
