#if os(Linux)
  import Dispatch
  import Foundation
  import RawThreads
  import Synchronization
  import TestSupport
  import Testing

  /// Whether other threads sleep, in a process where others come and go: so only who is awake can be asked for.
  @Suite(.ownThread) struct OtherThreadsTests {
    /// Behind the name, which stands in parentheses, the kernel writes the state.
    @Test(arguments: ["busy", "a) S (b"]) func `a busy thread is awake, whatever its name`(_ name: String) {
      let working = DispatchSemaphore(value: 0)
      let isOver = Atomic(false)
      let thread = RawThread(name: name) {
        working.signal()
        while !isOver.load(ordering: .relaxed) {}
      }
      working.wait()
      #expect((0..<100).count { _ in OtherThreads.allSleep != false } == 0)
      isOver.store(true, ordering: .relaxed)
      thread.join()
    }

    /// One wakes the other and sleeps: one of them is always awake, and whoever looks at one after the other may see both asleep.
    @Test func `two threads that wake each other are never both asleep`() {
      let (here, there) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let isOver = Atomic(false)
      Thread.detachNewThread {
        while !isOver.load(ordering: .relaxed) {
          here.wait()
          there.signal()
        }
      }
      Thread.detachNewThread {
        while !isOver.load(ordering: .relaxed) {
          here.signal()
          there.wait()
        }
        here.signal()
      }
      let times = (0..<2_000).count { _ in OtherThreads.allSleep == true }
      isOver.store(true, ordering: .relaxed)
      there.signal()
      #expect(times == 0)
    }
  }
#endif
