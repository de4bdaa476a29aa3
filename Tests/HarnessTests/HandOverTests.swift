import RawThreads
import Synchronization
import Results
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct HandOverTests {
  @Test func `a hand-over is half a round trip, without warm-up`() {
    // Each reading is 10 ns after the one before, and a round trip takes two.
    var clock = FakeClock().clock
    clock.park = { parker, _ in parker.park() }
    let pauses = Atomic(0)
    clock.sleep = { _, _ in pauses.add(1, ordering: .relaxed) }
    #expect(HandOver.nanoseconds(roundTrips: 20, clock: clock) == [Double](repeating: 5, count: 20))
    // Both threads sleep before each.
    #expect(pauses.load(ordering: .relaxed) == 22)
  }

  /// A thread that could not be started never answers.
  @Test func `without an answer there is no hand-over time`() {
    var clock = FakeClock().clock
    let parked = Atomic(0)
    clock.park = { _, _ in
      parked.add(1, ordering: .relaxed)
      return false
    }
    #expect(HandOver.nanoseconds(clock: clock).isEmpty)
    #expect(parked.load(ordering: .relaxed) == 1)
  }
}
