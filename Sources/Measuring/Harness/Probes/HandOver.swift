import RawThreads
import Synchronization

/// What it takes to hand over from one thread to another, here and now: most of what a small post costs in some idioms, and
/// twice as much within minutes, by how deep processors sleep.
package enum HandOver {
  /// Two raw threads wake each other alternately; half of each round trip, in nanoseconds.
  ///
  /// - Parameters:
  ///   - roundTrips: how many are timed, after a tenth of that to warm up.
  ///   - pauseNanoseconds: how long both sleep before each: as a contender's, a row of wake-ups would keep the processor awake.
  /// - Returns: none if the other thread does not answer within a second, because the machine has no thread to give.
  package static func nanoseconds(
    roundTrips: Int = 200, pauseNanoseconds: UInt64 = 200_000, clock: HarnessClock = .monotonic
  ) -> [Double] {
    let (there, back) = (Parker(), Parker())
    let isOver = Atomic(false)
    let other = RawThread(name: "hand-over") {
      while true {
        there.park()
        if isOver.load(ordering: .acquiring) { return }
        back.unpark()
      }
    }
    func roundTrip() -> Double? {
      if pauseNanoseconds > 0 { clock.sleep(clock.nanoseconds() + pauseNanoseconds, 0) }
      let start = clock.nanoseconds()
      there.unpark()
      guard clock.park(back, start + 1_000_000_000) else { return nil }
      return Double(clock.nanoseconds() - start) / 2
    }
    func end() {
      isOver.store(true, ordering: .releasing)
      there.unpark()
    }
    var halves: [Double] = []
    for _ in 0..<roundTrips / 10 + roundTrips {
      guard let half = roundTrip() else {
        end()
        return []
      }
      halves.append(half)
    }
    end()
    other.join()
    return Array(halves.suffix(roundTrips))
  }
}
