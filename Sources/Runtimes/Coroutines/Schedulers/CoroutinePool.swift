import Foundation

/// A fixed number of threads that run coroutines and steal from each other what has not begun.
///
/// A coroutine stays on the thread where it began, so that what the compiler keeps of a thread across a suspension, such as its
/// id for `Mutex`, stays right. Coroutines started from the pool begin on the same thread unless an idle one takes them; those
/// from outside, or beyond the 256 of a worker's own queue, go through a shared queue. First in, first out within each.
/// ``urgent`` and ``background`` are lanes that go before and after these queues.
///
/// Releasing the last reference shuts it down without waiting.
public final class CoroutinePool: CoroutineScheduler {
  /// The process's shared pool, with a thread for each processor; made at its first use, and never shut down.
  public static let shared = CoroutinePool()

  let workers: WorkerGroup

  /// Starts threads (at least 1) with the name `name` and a number.
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
  /// Do not call it on a thread of the pool. A coroutine that becomes ready later runs on the thread that makes it ready: first
  /// end the coroutines that lock a `Mutex`.
  public func shutDown() {
    workers.stop()
    workers.waitUntilStopped()
  }
}

extension CoroutinePool {
  /// The same threads for urgent work: they take it before anything else that waits in the pool.
  ///
  /// It does not interrupt running work, and other work has its turn now and then, so that nothing starves. A lane has a lock,
  /// so the pool itself is cheaper.
  public var urgent: some CoroutineScheduler { PoolLane(self, .urgent) }

  /// The same threads for background work: they take it when nothing else waits, and now and then.
  public var background: some CoroutineScheduler { PoolLane(self, .background) }
}

/// One of the lanes beside a pool's own queues. It keeps the pool alive.
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
