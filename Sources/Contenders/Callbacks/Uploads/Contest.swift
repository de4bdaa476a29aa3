import Synchronization
import UploadScenario

/// Requests and timers for one media file, of which the first that decides ends the others.
final class Contest: Cancellable {
  private let job: Job
  /// Nil once it is over.
  private let handles = Mutex<[any Cancellable]?>([])

  init(of job: Job) {
    self.job = job
    job.keep(self)
  }

  /// Starts a request or a timer, unless the contest is over. Cancels it if it is over by then.
  func start(_ request: () -> any Cancellable) {
    guard job.enter() else { return }
    if handles.withLock({ $0 != nil }) {
      let handle = request()
      if handles.withLock({ $0?.append(handle) }) == nil { handle.cancel() }
    }
    job.leave()
  }

  /// Cancels the others, then goes on. Only the first call counts.
  func end(then next: () -> Void) {
    guard let handles = handles.withLock({ $0.take() }) else { return }
    for handle in handles { handle.cancel() }
    next()
  }

  func cancel() { end { _ = job.finish(.failure(CancellationError())) } }
}
