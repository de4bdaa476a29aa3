import Registry
import RuntimeOperations
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand

@Suite(.ownThread) struct ContenderListTests {
  @Test(arguments: [
    ("a/b", "a/b", true), ("a/b", "a/bc", false), ("a/*", "a/b", true), ("a/*", "a/", true),
    ("a/*", "b/a/b", false), ("*/b", "a/b", true), ("*/b", "a/bc", false), ("*", "", true),
    ("*b*", "abc", true),
    ("a*c*e", "abcde", true), ("a*c*e", "abcd", false), ("", "", true), ("", "a", false),
    ("*ab", "aab", true), ("a*bc*c", "abc", false), ("a*bc*c", "abcbc", true), ("a**", "a", true),
    // Neither time nor the stack grows with the stars.
    (String(repeating: "*", count: 100_000), "swift-concurrency/discarding", true),
    (String(repeating: "*", count: 100_000) + "x", "swift-concurrency/discarding", false),
    (String(repeating: "*a", count: 50) + "x", String(repeating: "a", count: 100), false),
  ])
  func `a star stands for any text, in linear time`(glob: String, name: String, matches: Bool) {
    #expect(Glob(glob).matches(name) == matches)
  }

  @Test func `a variant is found by its name`() throws {
    let list = ContenderList([Named("a")], variants: [Named("a/b")])
    #expect(try list.named("a/b").name == "a/b")
    #expect(throws: UsageError.self) { try list.named("a/c") }
  }

  @Test(arguments: ["gcd-groups@inline", "callbacks,futures@queue"])
  func `a contender with a context is refused, with the option that replaced it`(text: String) throws {
    let known = ContenderList(contenders, variants: variants, idioms: idioms)
    let context = try #require(text.split(separator: "@").last)
    let error = try #require(throws: UsageError.self) {
      try RunOptions(["--contenders", text], known: known)
    }
    #expect(error.description.contains("--on \(context)"))
  }

  @Test func `the folder of a variant is one path component`() {
    #expect(Store.folder(of: "gcd-groups/work-items") == "gcd-groups+work-items")
  }

  @Test func `a build without runtimes has no runtimes command`() {
    let without = ContenderList([Named("a")])
    #expect(!Subcommand.visible(without).contains(.runtimes))
    #expect(ListCommand.listing(of: without).operations.isEmpty)
    #expect(Bench.run(["runtimes"], among: without) == .usage)
    let some = ContenderList(
      [Named("a")], runtimes: [RuntimeContender(name: "r", summary: "", implementations: [:])])
    #expect(Subcommand.visible(some).contains(.runtimes))
  }

  @Test func `list shows variants in their own section`() {
    let listing = ListCommand.listing(of: ContenderList([Named("a")], variants: [Named("a/b")]))
    #expect(listing.contenders.map(\.name) == ["a"])
    #expect(listing.variants.map(\.name) == ["a/b"])
    let without = ListCommand.document(
      ListCommand.listing(of: ContenderList([Named("a")]))
    ).text()
    #expect(!without.contains("variants"))
  }
}
