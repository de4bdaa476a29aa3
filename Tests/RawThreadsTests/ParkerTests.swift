import RawThreads
import TestSupport
import Testing

@Suite(.ownThread) struct ParkerTests {
  @Test func aWakeThatComesFirstIsNotLost() {
    let parker = Parker()
    parker.unpark()
    #expect(parker.park())
  }

  @Test func wakesDoNotAddUp() {
    let parker = Parker()
    parker.unpark()
    parker.unpark()
    #expect(parker.park())
    #expect(!parker.park(untilNanoseconds: 0))
  }

  @Test func aDeadlineInThePastReturnsFalse() {
    #expect(!Parker().park(untilNanoseconds: 1))
  }

  @Test func twoThreadsHandOverInTurn() {
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
