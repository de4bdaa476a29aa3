import Synchronization
import UploadScenario

/// The competing requests and timers of one media file. The first one to decide the result cancels the others.
final class Contest: Cancellable {
  private let job: Job
  /// The handles of the requests and timers. `nil` after the contest has ended, or if no request may start.
  private let handles: Mutex<[any Cancellable]?>
  init(of job: Job) {
    self.job = job
    handles = Mutex(job.enter() ? [] : nil)
    job.keep(self)
  }

  /// Starts a request or a timer unless the contest has ended. If the contest ends during the start, cancels the new handle.
  func start(_ request: () -> any Cancellable) {
    guard job.enter() else { return }
    defer { job.leave() }
    guard handles.withLock({ $0 != nil }) else { return }
    let handle = request()
    if handles.withLock({ $0?.append(handle) }) == nil { handle.cancel() }
  }

  /// Cancels the other requests and timers, then calls `next`. Only the first call has an effect.
  func end(then next: () -> Void) {
    guard let handles = handles.withLock({ $0.take() }) else { return }
    for handle in handles { handle.cancel() }
    next()
    job.leave()
  }
  func cancel() { end {} }
}
