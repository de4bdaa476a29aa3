import Dispatch

/// Runs jobs one at a time, on a serial queue that lives as long as this does.
final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "swift-concurrency", target: .global())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
