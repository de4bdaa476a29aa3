import Synchronization
import UploadScenario

/// The requests and timers of one media file: the first to decide ends the others. It is in flight until then.
final class Contest: Cancellable {
  private let job: Job
  /// nil once it is over, or if nothing may start.
  private let handles: Mutex<[any Cancellable]?>
  init(of job: Job) {
    self.job = job
    handles = Mutex(job.enter() ? [] : nil)
    job.keep(self)
  }

  /// Starts a request or a timer unless the contest is over; cancels it if the contest ends meanwhile.
  func start(_ request: () -> any Cancellable) {
    guard job.enter() else { return }
    defer { job.leave() }
    guard handles.withLock({ $0 != nil }) else { return }
    let handle = request()
    if handles.withLock({ $0?.append(handle) }) == nil { handle.cancel() }
  }

  /// Cancels the others, then goes on. Only the first call counts.
  func end(then next: () -> Void) {
    guard let handles = handles.withLock({ $0.take() }) else { return }
    for handle in handles { handle.cancel() }
    next()
    job.leave()
  }
  func cancel() { end {} }
}
