import Foundation

/// A fixed number of threads that run coroutines and steal from each other what has not begun.
///
/// A coroutine goes on on the thread where it began, so that what the compiler keeps of a thread across a suspension, such as the
/// place of its id for `Mutex`, stays right. What a coroutine of the pool starts begins on the same thread unless an idle one takes
/// it; what others start, or exceeds the 256 of a worker's own queue, goes through a shared one. First in, first out within
/// each. ``urgent`` and ``background`` are lanes of it for what is to go before all that, or after.
///
/// Releasing the last reference shuts it down without waiting.
public final class CoroutinePool: CoroutineScheduler {
  /// The process's own, with a thread for each processor; made at its first use, and never shut down.
  public static let shared = CoroutinePool()

  let workers: WorkerGroup

  /// Starts threads (at least 1) that are called `name`, followed by a number.
  public init(workers: Int = ProcessInfo.processInfo.activeProcessorCount, name: String = "coroutines") {
    precondition(workers > 0, "a pool needs a worker")
    self.workers = WorkerGroup(count: workers)
    self.workers.start(name: name)
  }

  deinit { workers.stop() }

  public func scheduleTask(_ task: @escaping @Sendable () -> Void) { workers.add(PoolJob(task)) }

  public func schedule(_ coroutine: ReadyCoroutine) { workers.add(coroutine, to: .shared) }

  /// Runs what has been scheduled, and what that schedules, then ends the threads; returns when they have ended.
  ///
  /// Not on a thread of the pool. A coroutine that is made ready later runs on the thread that makes it ready, where what the
  /// compiler kept of its own is no more: let coroutines end first that lock a `Mutex`.
  public func shutDown() {
    workers.stop()
    workers.waitUntilStopped()
  }
}

extension CoroutinePool {
  /// The same threads for what goes first: they take it before anything else of the pool that waits.
  ///
  /// What runs is not interrupted, and the rest has its turn now and then, so that nothing starves. A lane has a lock, so
  /// the pool itself is the cheaper place for work that nothing need wait for.
  public var urgent: some CoroutineScheduler { PoolLane(self, .urgent) }

  /// The same threads for what lets everything else go first: they take it when nothing else waits, and now and then.
  public var background: some CoroutineScheduler { PoolLane(self, .background) }
}

/// One of the lanes beside a pool's own queues. It keeps the pool.
private final class PoolLane: CoroutineScheduler {
  private let pool: CoroutinePool
  private let lane: WorkerGroup.Lane

  init(_ pool: CoroutinePool, _ lane: WorkerGroup.Lane) {
    self.pool = pool
    self.lane = lane
  }

  func scheduleTask(_ task: @escaping @Sendable () -> Void) { pool.workers.add(PoolJob(task), to: lane) }

  func schedule(_ coroutine: ReadyCoroutine) { pool.workers.add(coroutine, to: lane) }
}
