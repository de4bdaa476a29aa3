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
  func aStarStandsForAnything(glob: String, name: String, matches: Bool) {
    #expect(Glob(glob).matches(name) == matches)
  }

  @Test func aWorkerIsFoundByTheNameOfAVariantToo() throws {
    let list = ContenderList([Named("a")], variants: [Named("a/b")])
    #expect(try list.named("a/b").name == "a/b")
    #expect(throws: UsageError.self) { try list.named("a/c") }
  }

  @Test func aContextIsAContenderBesideTheOthers() throws {
    let known = ContenderList(contenders, variants: variants, idioms: idioms)
    func chosen(_ arguments: String...) throws -> [any Contender] {
      try RunOptions(["--contenders"] + arguments, known: known).contenders
    }
    // Where users have them is the contender itself.
    let three = try chosen("gcd-groups@inline,futures@inline,callbacks,gcd-groups")
    #expect(three.map(\.name) == ["callbacks", "gcd-groups", "gcd-groups@inline"])
    #expect(try chosen("*").allSatisfy { !$0.name.contains("@") })
    #expect(known.idiomRecords(of: three)?["gcd-groups@inline"]?.completions == "inline")
    for wrong in ["operations@inline", "gcd-groups@here", "nobody@inline", "@inline"] {
      #expect(throws: UsageError.self) { try chosen(wrong) }
    }
    #expect(throws: UsageError.self) { try chosen("gcd-groups@inline", "--on", "queue") }
  }

  @Test func theFolderOfAVariantIsOneName() {
    #expect(Store.folder(of: "gcd-groups/work-items") == "gcd-groups+work-items")
  }

  @Test func withoutRuntimesThereIsNoSubcommandForThem() {
    let without = ContenderList([Named("a")])
    #expect(!Subcommand.visible(without).contains(.runtimes))
    #expect(ListCommand.listing(of: without).operations.isEmpty)
    #expect(Bench.run(["runtimes"], among: without) == .usage)
    let some = ContenderList(
      [Named("a")], runtimes: [RuntimeContender(name: "r", summary: "", implementations: [:])])
    #expect(Subcommand.visible(some).contains(.runtimes))
  }

  @Test func theListShowsVariantsInASectionOfTheirOwn() {
    let listing = ListCommand.listing(of: ContenderList([Named("a")], variants: [Named("a/b")]))
    #expect(listing.contenders.map(\.name) == ["a"])
    #expect(listing.variants.map(\.name) == ["a/b"])
    let without = ListCommand.document(
      ListCommand.listing(of: ContenderList([Named("a")]))
    ).text()
    #expect(!without.contains("variants"))
  }
}
