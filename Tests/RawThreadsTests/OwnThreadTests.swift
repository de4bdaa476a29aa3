import Foundation
import TestSupport
import Testing

/// The promises of the trait that every suite has.
@Suite(.ownThread) struct OwnThreadTests {
  @Test func `a synchronous test runs on a thread of its own`() { #expect(TestThreads.areCurrent) }

  @Test func `an asynchronous test returns to its own threads`() async {
    await Task.detached {}.value
    #expect(TestThreads.areCurrent)
    async let child = TestThreads.areCurrent
    #expect(await child)
  }

  /// On the cooperative pool so many would deadlock.
  @Test(arguments: 0..<64) func `a blocked test keeps no task from running`(_: Int) {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached { isDone.signal() }
    #expect(isDone.wait(timeout: .now() + 120) == .success)
  }
}
