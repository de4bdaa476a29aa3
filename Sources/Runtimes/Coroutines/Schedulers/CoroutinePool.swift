import Foundation

/// A fixed number of threads that run coroutines. An idle thread takes coroutines that have not begun from other threads.
///
/// A coroutine stays on the thread where it began, because compiled code may keep data of a thread across a suspension, such as
/// the thread's id in a `Mutex`. A coroutine started from the pool begins on the same thread unless an idle thread takes it. A
/// coroutine started elsewhere, or by a thread that has 256 others waiting, goes through a shared queue. Each queue is first
/// in, first out. Work given to ``urgent`` runs before these queues, and work given to ``background`` after them.
///
/// Releasing the last reference to a pool shuts it down without waiting.
public final class CoroutinePool: CoroutineScheduler {
  /// The shared pool of the process, with one thread for each processor. It is made on first use and never shut down.
  public static let shared = CoroutinePool()

  let workers: WorkerGroup

  /// Starts `workers` threads (at least 1), each named by `name` and a number.
  public init(workers: Int = ProcessInfo.processInfo.activeProcessorCount, name: String = "coroutines") {
    precondition(workers > 0, "a pool needs at least 1 worker, not \(workers)")
    self.workers = WorkerGroup(count: workers)
    self.workers.start(name: name)
  }

  deinit { workers.stop() }

  public func scheduleTask(_ task: @escaping @Sendable () -> Void) { workers.add(PoolJob(task)) }

  public func schedule(_ coroutine: ReadyCoroutine) { workers.add(coroutine, to: .shared) }

  /// Runs all scheduled work, including work that this work schedules. Ends the threads and returns when they have ended.
  ///
  /// Do not call it on a thread of the pool. A coroutine that becomes ready later runs on the thread that makes it ready, so
  /// first end the coroutines that lock a `Mutex`.
  public func shutDown() {
    workers.stop()
    workers.waitUntilStopped()
  }
}

extension CoroutinePool {
  /// Runs urgent work on the pool's threads, before all other work that waits in the pool.
  ///
  /// Urgent work does not interrupt running work. Occasionally, other work runs first, so that none starves. Urgent work goes
  /// through a queue with a lock, so the pool itself is cheaper.
  public var urgent: some CoroutineScheduler { PoolLane(self, .urgent) }

  /// Runs background work on the pool's threads when no other work waits, and occasionally before other work.
  public var background: some CoroutineScheduler { PoolLane(self, .background) }
}

/// The scheduler for urgent or for background work of a pool. It retains the pool.
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
