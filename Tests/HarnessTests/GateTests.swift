import RawThreads
import Synchronization
import Testing

@testable import Harness

@Suite struct GateTests {
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
    Gate().pass()
  }

  @Test func itsKeeperIsNeverHeld() {
    let gate = Gate()
    gate.close()
    gate.pass()
  }
}
