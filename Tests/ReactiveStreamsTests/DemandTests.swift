import ReactiveStreams
import TestSupport
import Testing

@Suite("Demand", .ownThread) struct DemandTests {
  typealias Demand = Subscribers.Demand

  @Test(arguments: [
    (Demand.max(2), Demand.max(3), Demand.max(5)),
    (.max(.max / 2), .max(.max / 2), .max(.max - 1)),
    (.max(.max - 1), .max(1), .unlimited),
    (.max(.max - 1), .max(.max - 1), .unlimited),
    (.unlimited, .unlimited, .unlimited),
    (.none, .unlimited, .unlimited),
  ])
  func `sums saturate at unlimited`(_ left: Demand, _ right: Demand, _ sum: Demand) {
    #expect(left + right == sum)
    #expect(right + left == sum)
  }

  @Test(arguments: [
    (Demand.max(5), Demand.max(2), Demand.max(3)),
    (.max(2), .max(5), .none),
    (.unlimited, .max(7), .unlimited),
    (.max(2), .unlimited, .none),
  ])
  func `differences stay between none and unlimited`(_ left: Demand, _ right: Demand, _ rest: Demand) {
    #expect(left - right == rest)
  }

  @Test func `the largest count is unlimited`() {
    #expect(Demand.max(.max) == .unlimited)
    #expect(Demand.unlimited.max == nil)
    #expect(Demand.max(3) < .unlimited)
  }
}
