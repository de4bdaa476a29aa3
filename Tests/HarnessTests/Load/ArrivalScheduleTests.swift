@testable import Harness
import TestSupport
import Testing

@Suite(.ownThread) struct ArrivalScheduleTests {
  @Test func `a fixed schedule is even and does not drift`() {
    let offsets = ArrivalSchedule.fixed.offsets(perSecond: 300, withinNanoseconds: 10_000_000_000, seed: 1)
    #expect(offsets.count == 3_000)
    #expect(offsets[0] == 0)
    #expect(offsets[1] == 3_333_333)
    #expect(offsets[2_999] == 9_996_666_666)
  }

  /// The gaps of a Poisson process are exponential: their standard deviation is their mean.
  @Test(arguments: [1, 7, 12_345] as [UInt64])
  func `a Poisson schedule has a Poisson process's mean and variance`(seed: UInt64) {
    let offsets = ArrivalSchedule.poisson.offsets(
      perSecond: 2_000, withinNanoseconds: 20_000_000_000, seed: seed)
    // 40 000 expected; the standard deviation of a count is its root, 200.
    #expect(abs(offsets.count - 40_000) < 800)
    let gaps = zip(offsets.dropFirst(), offsets).map { Double($0 - $1) }
    let mean = gaps.reduce(0, +) / Double(gaps.count)
    let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
    #expect(abs(mean / 500_000 - 1) < 0.02)
    #expect(abs(variance.squareRoot() / mean - 1) < 0.03)
    // Counts in equal parts scatter by their own mean, too: arrivals do not know of one another.
    var counts = Array(repeating: 0.0, count: 1_000)
    for offset in offsets { counts[Int(offset / 20_000_000)] += 1 }
    let scatter = counts.reduce(0) { $0 + ($1 - 40) * ($1 - 40) } / 1_000 / 40
    #expect(abs(scatter - 1) < 0.2)
  }

  @Test(arguments: ArrivalSchedule.allCases)
  func `arrivals are ordered, within the window, and repeat with the seed`(schedule: ArrivalSchedule) {
    let offsets = schedule.offsets(perSecond: 1_000, withinNanoseconds: 1_000_000_000, seed: 3)
    #expect(zip(offsets, offsets.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(offsets.allSatisfy { $0 < 1_000_000_000 })
    #expect(offsets == schedule.offsets(perSecond: 1_000, withinNanoseconds: 1_000_000_000, seed: 3))
    let other = schedule.offsets(perSecond: 1_000, withinNanoseconds: 1_000_000_000, seed: 4)
    #expect((offsets == other) == (schedule == .fixed))
  }
}
