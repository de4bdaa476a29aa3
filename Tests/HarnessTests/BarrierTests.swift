import RawThreads
import Synchronization
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct BarrierTests {
  @Test func `a closed barrier holds a thread until it opens`() {
    let barrier = Barrier()
    barrier.close()
    let (arrived, passed) = (Parker(), Parker())
    let isThrough = Atomic<Bool>(false)
    withExtendedLifetime(isThrough) {
      _ = RawThread(name: "visitor") {
        arrived.unpark()
        barrier.pass()
        isThrough.store(true, ordering: .releasing)
        passed.unpark()
      }
      arrived.park()
      let wasThrough = isThrough.load(ordering: .acquiring)
      #expect(!wasThrough)
      barrier.open()
      passed.park()
      let isThroughNow = isThrough.load(ordering: .acquiring)
      #expect(isThroughNow)
    }
  }

  @Test func `an open barrier holds no thread`() {
    let barrier = Barrier()
    let passed = Counter()
    onThreads(3) { _ in
      barrier.pass()
      passed.add()
    }
    #expect(passed.current == 3)
  }

  @Test func `the thread that closed a barrier passes it`() {
    let barrier = Barrier()
    let passed = Counter()
    onThreads(1) { _ in
      barrier.close()
      barrier.pass()
      passed.add()
    }
    #expect(passed.current == 1)
  }
}
