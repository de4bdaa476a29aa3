import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct CheckRowMemoryTests {
  private let key = CellKey(contender: "futures", scenario: "publish-instant-1000")

  private func state(_ base: [Int], _ candidate: [Int]) -> CheckRow.State? {
    CheckRow(bytesOf: key, base: base, candidate: candidate)?.state
  }

  @Test func `more memory in every process is a regression`() throws {
    let row = try #require(
      CheckRow(bytesOf: key, base: [2_000_000, 2_100_000], candidate: [67_600_000, 67_700_000]))
    #expect(row.state == .regressed)
    #expect(row.quantity == "memory held")
    #expect(row.change == "1.91 MiB to 2.00 MiB -> 64.5 MiB to 64.6 MiB")
    #expect(row.evidence == "2 processes")
    #expect(state([67_600_000, 67_700_000], [2_000_000, 2_100_000]) == .improved)
  }

  /// Pages are counted, not bytes; and one process says nothing of the others.
  @Test(arguments: [
    ([1_000, 1_000], [1_200, 1_200]), ([1_000, 5_000], [1_500, 6_000]), ([1_000, 1_000], [900, 5_000]),
  ])
  func `memory that overlaps or differs by little is unchanged`(base: [Int], candidate: [Int]) {
    #expect(state(base, candidate) == .unchanged)
  }

  @Test func `unknown memory is no row`() {
    #expect(state([], [1]) == nil)
    #expect(state([1], []) == nil)
  }
}
