import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct DefinitionTests {
  private enum Kind: Codable { case plain, timed(nanoseconds: UInt64) }

  private struct Job: Codable {
    var name = "a"
    var seed = UInt64.max
    var share = 0.25
    var isSynced = false
    var limit: Int?
    var kind = Kind.timed(nanoseconds: 7)
    var steps = [1, -2]
  }

  @Test func `every value has a path and a portable text`() throws {
    #expect(
      try Definition.leaves(of: Job()) == [
        "name": "a", "seed": "18446744073709551615", "share": "0.25", "isSynced": "false",
        "kind.timed.nanoseconds": "7", "steps.0": "1", "steps.1": "-2",
      ])
  }

  @Test func `only unknown values are left out`() throws {
    #expect(try Definition.leaves(of: Job(limit: 4))["limit"] == "4")
    #expect(try Definition.leaves(of: Job())["limit"] == nil)
  }

  @Test func `a difference shows in its own path alone`() throws {
    let (a, b) = (try Definition.leaves(of: Job()), try Definition.leaves(of: Job(share: 0.5)))
    #expect(Set(a.keys).union(b.keys).filter { a[$0] != b[$0] } == ["share"])
  }
}
