import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct NearestNameTests {
  @Test(arguments: [
    ("coroutine", "coroutines"), ("gcd", "gcd-groups" as String?), ("swift-concurency", "swift-concurrency"),
    ("FUTURES", "futures"), ("zebra-crossing", nil),
  ])
  func `the nearest name is offered if it is near`(typed: String, offered: String?) {
    let names = ["coroutines", "gcd-groups", "swift-concurrency", "futures"]
    #expect(NearestName.of(typed, among: names) == offered)
  }

  @Test func `an option with the same meaning is offered, or all are listed`() {
    let names = (1...40).map { "--option-\($0)" } + ["--duration"]
    func said(_ name: String) -> String { UsageError.unknown("option", name, among: names).description }
    #expect(said("--budget") == "unknown option “--budget”. Did you mean --duration?")
    #expect(said("--zebra-crossing").hasSuffix("--option-40, --duration."))
  }

  @Test func `the beginning of a name offers the name before its variants`() {
    #expect(NearestName.of("gcd", among: ["gcd-groups/a", "gcd-groups", "gcd-groups/b"]) == "gcd-groups")
  }

  @Test(
    arguments: [
      ("gcd-grups/*", ["gcd-groups/a", "gcd-groups/b"]), ("*/c-d", ["futures/cd"]), ("zebra*", []),
      (String(repeating: "*", count: 100_000) + "x", []),
    ] as [(String, [String])])
  func `names that a glob nearly matches are offered`(glob: String, offered: [String]) {
    #expect(NearestName.like(glob, among: ["gcd-groups/a", "futures/cd", "gcd-groups/b"]) == offered)
  }
}
