/// The jobs that any thread adds and any worker takes, first in first out: one lane of a pool. Not for use from several
/// threads at once: the pool's lock is around it.
struct SharedJobs {
  private var jobs: [PoolJob] = []
  private var start = 0

  var isEmpty: Bool { start == jobs.count }

  mutating func append(_ job: PoolJob) { jobs.append(job) }

  mutating func take() -> PoolJob? {
    guard start < jobs.count else { return nil }
    let job = jobs[start]
    start += 1
    // Moved down when half is used up: constant time for each, on average.
    if start * 2 >= jobs.count {
      jobs.removeFirst(start)
      start = 0
    }
    return job
  }
}
