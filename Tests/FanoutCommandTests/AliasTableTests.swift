import Registry
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct AliasTableTests {
  private let known = ContenderList(contenders, variants: variants, aliases: contenderAliases)

  private func chosen(_ text: String) throws -> [String] {
    try RunOptions(["--contenders", text], known: known).contenders.map(\.name)
  }

  @Test(arguments: [
    ("async-await", "swift-concurrency"), ("async", "swift-concurrency"), ("await", "swift-concurrency"),
    ("task-group", "swift-concurrency"), ("taskgroup", "swift-concurrency"),
    ("TaskGroup", "swift-concurrency"),
    ("structured-concurrency", "swift-concurrency"), ("gcd", "gcd-groups"), ("dispatch", "gcd-groups"),
    ("dispatch-group", "gcd-groups"), ("DispatchGroup", "gcd-groups"), ("libdispatch", "gcd-groups"),
    ("operation", "operations"), ("OperationQueue", "operations"), ("operation-queue", "operations"),
    ("nsoperation", "operations"), ("completion-handler", "callbacks"), ("asyncawait", "swift-concurrency"),
  ])
  func `common names lead to the contender`(typed: String, contender: String) throws {
    #expect(try chosen(typed) == [contender])
    #expect(try RunOptions(["--reference", typed], known: known).reference == contender)
  }

  @Test func `a contender named twice is measured once`() throws {
    #expect(try chosen("gcd,gcd-groups,dispatch") == ["gcd-groups"])
  }

  @Test func `a library that this build lacks is refused with the trait that adds it`() {
    let here = ContenderList([Named("reactive-streams")], aliases: contenderAliases)
    for (typed, library) in [("combine", "OpenCombine"), ("rx", "RxSwift"), ("rx-swift", "RxSwift")] {
      let error = #expect(throws: UsageError.self) {
        try RunOptions(["--contenders", typed], known: here)
      }
      let text = error?.description ?? ""
      #expect(text.hasPrefix("this build has no contender “\(typed)”. "), "\(text)")
      #expect(text.contains("--traits \(library) bench` (Documentation/Rivals.md)"), "\(text)")
      #expect(text.contains("reactive-streams is another library"), "\(text)")
    }
    let rivals = ContenderList([Named("rx-swift")], aliases: contenderAliases)
    #expect(throws: Never.self) { try RunOptions(["--contenders", "rx"], known: rivals) }
  }

  @Test func `aliases are unique, in lower case, and no contender's name`() {
    let names = contenderAliases.flatMap(\.names)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0 == $0.lowercased() })
    let others = (contenders + variants).map(\.name).filter { $0 != "combine" }
    #expect(Set(names).isDisjoint(with: others))
    // A contender of some builds only explains its absence.
    let absent = contenderAliases.filter { row in !contenders.contains { $0.name == row.contender } }
    #expect(absent.allSatisfy { $0.absence?.hasSuffix(".") == true })
  }

  @Test func `the list shows what people type for a contender`() {
    let entries = ListCommand.listing(of: known).aliases
    let entry = entries.first { $0.name == "swift-concurrency" }
    #expect(entry?.summary.hasPrefix("async-await, ") == true)
    #expect(ListCommand.listing(of: ContenderList([Named("a")], aliases: contenderAliases)).aliases.isEmpty)
  }
}
