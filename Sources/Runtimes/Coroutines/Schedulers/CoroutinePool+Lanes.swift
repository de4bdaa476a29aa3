extension CoroutinePool {
  /// The same threads for what goes first: they take it before anything else of the pool that waits.
  ///
  /// What runs is not interrupted, and a coroutine that goes on after a wait waits its turn in its lane again. Now and then
  /// the rest has its turn all the same, so that nothing starves. A coroutine is taken from a lane under a lock, so the pool
  /// itself is the cheaper place for work that nothing need wait for.
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

  func schedule(_ work: @escaping @Sendable () -> Void) { pool.workers.add(PoolJob(work), to: lane) }

  func schedule(_ coroutine: ReadyCoroutine) { pool.workers.add(PoolJob(coroutine), to: lane) }
}
