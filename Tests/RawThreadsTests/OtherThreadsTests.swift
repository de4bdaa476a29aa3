#if os(Linux)
  import Dispatch
  import Foundation
  import TestSupport
  import Testing

  @testable import RawThreads

  /// Other tests' threads come and go in this process, so only threads that are awake can be tested for.
  @Suite(.ownThread) struct OtherThreadsTests {
    /// The kernel writes the state after the name, which is in parentheses.
    @Test(arguments: ["busy", "a) S (b"]) func `a busy thread is awake, whatever its name`(_ name: String) {
      let working = DispatchSemaphore(value: 0)
      let isOver = Counter()
      let thread = RawThread(name: name) {
        working.signal()
        while isOver.current == 0 {}
      }
      working.wait()
      #expect((0..<100).count { _ in OtherThreads.allSleep != false } == 0)
      isOver.add()
      thread.join()
    }

    /// One wakes the other and sleeps: one is always awake, but looking at one after the other may see both asleep.
    @Test func `two threads that wake each other are never both asleep`() {
      let (here, there) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let isOver = Counter()
      Thread.detachNewThread {
        while isOver.current == 0 {
          here.wait()
          there.signal()
        }
      }
      Thread.detachNewThread {
        while isOver.current == 0 {
          here.signal()
          there.wait()
        }
        here.signal()
      }
      let times = (0..<2_000).count { _ in OtherThreads.allSleep == true }
      isOver.add()
      there.signal()
      #expect(times == 0)
    }

    /// Ready nine tenths of the time without a processor, as beside eight loops; half of it, as beside one; asleep.
    @Test(arguments: [(100, 900, true), (500, 500, false), (1_000, 0, false), (1, 99, false), (0, 0, false)])
    func `a process that was mostly ready and mostly without a processor is starved`(
      ran: UInt64, waited: UInt64, isSo: Bool
    ) {
      #expect(ReadyTime.isStarved(ran: ran, waited: waited, ofNanoseconds: 1_000) == isSo)
    }

    @Test func `a process that sleeps is not starved`() throws {
      let process = try Process.run(URL(filePath: "/bin/sleep"), arguments: ["60"])
      // It inherits this thread's signal mask, which may block all other signals.
      defer { kill(process.processIdentifier, SIGKILL) }
      // On a busy machine, it is starved until it has begun to sleep.
      while try #require(ReadyTime(ofProcess: String(process.processIdentifier))).isStarvedSince {
        sched_yield()
      }
    }
  }
#endif
