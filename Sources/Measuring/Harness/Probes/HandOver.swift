import RawThreads
import Synchronization

/// What it takes to hand over from one thread to another, here and now.
///
/// It is most of what a small post costs in an idiom that changes threads, and it is the machine's: how deep processors sleep,
/// and what else keeps them awake, moves it twofold within minutes.
package enum HandOver {
  /// Two raw threads wake each other alternately; each figure is half of a round trip, in nanoseconds.
  ///
  /// - Parameters:
  ///   - roundTrips: how many are timed, after a tenth of that to warm up.
  ///   - pauseNanoseconds: how long both threads sleep before each: a contender's wake up from there, not from a row of
  ///     wake-ups, during which a kernel may keep the processor from halting.
  ///   - clock: by which.
  /// - Returns: every round trip's half, in the order in which they were taken; none if the other thread does not answer within
  ///   a second, because the machine has no thread to give.
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
