import Synchronization
import UploadScenario

/// The competing requests and timers of one media file. The first that decides ends the others and the contest.
final class Contest: Cancellable {
  private let job: Job
  /// The handles to cancel. `nil` after the contest has ended, or if no request may start.
  private let handles: Mutex<[any Cancellable]?>
  init(of job: Job) {
    self.job = job
    handles = Mutex(job.enter() ? [] : nil)
    job.keep(self)
  }

  /// Starts a request or a timer unless the contest has ended. Cancels it if the contest ends meanwhile.
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
