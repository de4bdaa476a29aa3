import RawThreads
import TestSupport
import Testing

@Suite(.ownThread) struct ParkerTests {
  @Test func `a wake-up that comes first is not lost`() {
    let parker = Parker()
    parker.unpark()
    #expect(parker.park())
  }

  @Test func `wake-ups do not add up`() {
    let parker = Parker()
    parker.unpark()
    parker.unpark()
    #expect(parker.park())
    #expect(!parker.park(untilNanoseconds: 0))
  }

  @Test func `a deadline in the past returns false`() { #expect(!Parker().park(untilNanoseconds: 1)) }

  @Test func `two threads hand over in turn`() {
    let there = Parker()
    let back = Parker()
    var turns = 0
    let thread = RawThread(name: "echo") {
      for _ in 0..<1_000 {
        there.park()
        back.unpark()
      }
    }
    for _ in 0..<1_000 {
      there.unpark()
      back.park()
      turns += 1
    }
    thread.join()
    #expect(turns == 1_000)
  }
}
