import Foundation

/// Runs tests on threads that it starts whenever none is idle, so that one that blocks keeps nobody from running.
///
/// `@unchecked Sendable`: `jobs` and `idle` are only touched under `condition`.
package final class TestThreads: TaskExecutor, @unchecked Sendable {
  package static let shared = TestThreads()

  /// Whether the caller runs on one of its threads.
  package static var areCurrent: Bool { Thread.current.threadDictionary[mark] != nil }

  /// No name: Foundation loses one that a thread sets before its `start()` has returned.
  private static let mark = "runs tests"

  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []
  private var idle = 0

  private init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock {
      jobs.append(job)
      if jobs.count <= idle { condition.signal() } else { startThread() }
    }
  }

  private func startThread() {
    let thread = Thread { [self] in
      Thread.current.threadDictionary[Self.mark] = true
      while true { next().runSynchronously(on: asUnownedTaskExecutor()) }
    }
    // As much as a main thread has: tests of deep recursion ask for a small stack themselves.
    thread.stackSize = 8 << 20
    thread.start()
  }

  private func next() -> UnownedJob {
    condition.withLock {
      idle += 1
      while jobs.isEmpty { condition.wait() }
      idle -= 1
      return jobs.removeFirst()
    }
  }
}
