/// Swift tasks on the pool's threads, beside its coroutines: `Task(executorPreference: pool) { … }`.
///
/// A task that is made ready by one of the pool's threads stays on that thread unless an idle one takes it.
extension CoroutinePool: TaskExecutor {
  public func enqueue(_ job: consuming ExecutorJob) { workers.add(PoolJob(UnownedJob(job))) }
}
