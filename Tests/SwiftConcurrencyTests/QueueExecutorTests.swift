import TestSupport
import Testing

@testable import SwiftConcurrencyUploads

@Suite(.ownThread) struct QueueExecutorTests {
  @Test func oneTaskRunsAtATime() async {
    let executor = QueueExecutor()
    let (running, most) = (Guarded(0), Guarded(0))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<1_000 {
        group.addTask(executorPreference: executor) {
          for _ in 0..<10 {
            let now = running.withLock {
              $0 += 1; return $0
            }
            most.withLock { $0 = max($0, now) }
            running.withLock { $0 -= 1 }
            await Task.yield()
          }
        }
      }
    }
    #expect(most.withLock { $0 } == 1)
  }
}
