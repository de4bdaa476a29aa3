import RawThreads
import Synchronization
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct GateTests {
  @Test func whoeverComesToAClosedGateIsHeldUntilItIsOpened() {
    let gate = Gate()
    gate.close()
    let (arrived, passed) = (Parker(), Parker())
    let isThrough = Atomic<Bool>(false)
    withExtendedLifetime(isThrough) {
      _ = RawThread(name: "visitor") {
        arrived.unpark()
        gate.pass()
        isThrough.store(true, ordering: .releasing)
        passed.unpark()
      }
      arrived.park()
      let wasThrough = isThrough.load(ordering: .acquiring)
      #expect(!wasThrough)
      gate.open()
      passed.park()
      let isThroughNow = isThrough.load(ordering: .acquiring)
      #expect(isThroughNow)
    }
  }

  @Test func anOpenGateHoldsNobody() {
    let gate = Gate()
    let passed = Counter()
    onThreads(3) { _ in
      gate.pass()
      passed.add()
    }
    #expect(passed.current == 3)
  }

  @Test func itsKeeperIsNeverHeld() {
    let gate = Gate()
    let passed = Counter()
    onThreads(1) { _ in
      gate.close()
      gate.pass()
      passed.add()
    }
    #expect(passed.current == 1)
  }
}
