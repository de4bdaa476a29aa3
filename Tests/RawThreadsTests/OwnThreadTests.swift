import Foundation
import TestSupport
import Testing

/// What the trait promises that every suite has.
@Suite(.ownThread) struct OwnThreadTests {
  private var isOnTestThread: Bool { Thread.current.name == TestThreads.threadName }

  @Test func aSynchronousTestRunsOnAThreadOfItsOwn() { #expect(isOnTestThread) }

  @Test func anAsynchronousOneDoesSoAfterItHasWaited() async {
    await Task.detached {}.value
    #expect(isOnTestThread)
    async let child = isOnTestThread
    #expect(await child)
  }

  /// On the cooperative pool so many would wait for one another without end.
  @Test(arguments: 0..<64) func whoBlocksKeepsNoTaskFromRunning(_: Int) {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached { isDone.signal() }
    #expect(isDone.wait(timeout: .now() + 120) == .success)
  }
}
