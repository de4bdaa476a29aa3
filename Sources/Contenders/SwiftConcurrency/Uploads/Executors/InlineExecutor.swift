import Foundation

/// Runs a job on the thread that enqueues it: a task goes on where its continuation is resumed.
///
/// What a job makes ready on its thread waits there until that job suspends, so the stack does not grow with the number of
/// jobs.
final class InlineExecutor: HoldingExecutor {
  static let shared = InlineExecutor()

  /// Of each thread: the jobs that wait there, as long as one runs.
  private let waitingJobs: pthread_key_t

  private init() {
    var key = pthread_key_t()
    precondition(pthread_key_create(&key, nil) == 0, "no key is left for a value of each thread")
    waitingJobs = key
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // Invariant: the array is on this thread's stack, in a call of `holding` that has not returned.
    if let waiting = pthread_getspecific(waitingJobs) {
      waiting.assumingMemoryBound(to: [UnownedJob].self).pointee.append(job)
    } else {
      holding { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }

  func holding(_ body: () -> Void) {
    if pthread_getspecific(waitingJobs) != nil { return body() }
    var waiting: [UnownedJob] = []
    withUnsafeMutablePointer(to: &waiting) { waiting in
      pthread_setspecific(waitingJobs, waiting)
      defer { pthread_setspecific(waitingJobs, nil) }
      body()
      var batch: [UnownedJob] = []
      while !waiting.pointee.isEmpty {
        swap(&batch, &waiting.pointee)
        for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
        batch.removeAll(keepingCapacity: true)
      }
    }
  }
}
