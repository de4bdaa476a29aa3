import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct SeriesTests {
  @Test(
    arguments: [
      ("publish-latency-100-reverse", 100, "publish-latency-N-reverse"),
      ("publish-instant-1", 1, "publish-instant-N"),
      ("publish-instant-100-limit-100", 100, "publish-instant-N-limit-100"),
      ("publish-instant-1000", 100, nil), ("publish-instant-0", 0, nil), ("empty", 3, nil),
    ] as [(String, Int, String?)]) func `the fan-out in a name is replaced`(
      scenario: String, fanOut: Int, name: String?
    )
  { #expect(Series.name(of: scenario, fanOut: fanOut) == name) }

  @Test func `three fan-outs make a series, in rising order`() {
    let all = Series.all(of: [
      (100, "a-100"), (0, "a-0"), (1, "a-1"), (1, "b-1"), (10, "b-10"), (10, "a-10"),
    ])
    #expect(all.map(\.name) == ["a-N"])
    #expect(all.first?.scenarios.map(\.fanOut) == [1, 10, 100])
  }
}
