import Synchronization

/// The jobs that any thread adds and any worker takes, first in first out: one lane of a pool.
final class SharedJobs: @unchecked Sendable {
  // Invariant: all but `count` is touched under the lock of the group that has it.
  private var jobs: [PoolJob] = []
  private var start = 0
  private let count = Atomic<Int>(0)

  /// A hint, on any thread, without the lock.
  var looksEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  var isEmpty: Bool { start == jobs.count }

  func append(_ job: PoolJob) {
    jobs.append(job)
    count.add(1, ordering: .sequentiallyConsistent)
  }

  func take() -> PoolJob? {
    guard start < jobs.count else { return nil }
    let job = jobs[start]
    start += 1
    // Moved down when half is used up: constant time for each, on average.
    if start * 2 >= jobs.count {
      jobs.removeFirst(start)
      start = 0
    }
    count.subtract(1, ordering: .relaxed)
    return job
  }
}
