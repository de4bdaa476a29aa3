import RawThreads
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct PreciseSleepTests {
  @Test(arguments: [0, 20_000, 10_000_000] as [UInt64])
  func `a sleep never ends early`(spinNanoseconds: UInt64) {
    for _ in 0..<5 {
      let moment = MonotonicClock.nanoseconds() + 200_000
      PreciseSleep.sleep(untilNanoseconds: moment, spinNanoseconds: spinNanoseconds)
      #expect(MonotonicClock.nanoseconds() >= moment)
    }
  }
}
