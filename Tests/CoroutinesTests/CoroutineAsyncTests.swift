import Coroutines
import Synchronization
import TestSupport
import Testing

/// Swift tasks start and await coroutines.
@Suite(.ownThread) struct CoroutineAsyncTests {
  @Test func `cancelling a task cancels the coroutine it awaits`() async {
    let task = Task {
      try await Coroutine.start { try Coroutine.withContinuation(of: Int.self) { kept in Self.keep(kept) } }
        .value
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  private static let kept = Mutex<[CoContinuation<Int>]>([])
  private static func keep(_ continuation: CoContinuation<Int>) { kept.withLock { $0.append(continuation) } }
}
