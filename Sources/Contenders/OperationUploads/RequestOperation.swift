import Foundation
import Synchronization
import UploadScenario

/// One request, such as an upload.
final class RequestOperation<Service: UploadService, Value: Sendable>: AsynchronousOperation,
  @unchecked Sendable
{
  typealias Request =
    @Sendable (Service, @escaping @Sendable (Result<Value, any Error>) -> Void) -> any Cancellable

  private enum State {
    case waiting
    case underWay(any Cancellable)
    case ended(Value?)
  }

  private let request: Request
  private let job: UploadJob<Service>
  private let state = Mutex(State.waiting)

  init(of job: UploadJob<Service>, _ request: @escaping Request) {
    self.job = job
    self.request = request
  }

  /// The answer, once it has arrived.
  var value: Value? {
    state.withLock { if case .ended(let value) = $0 { value } else { nil } }
  }

  override func main() {
    // The queue cancels from front to back: a place that the first one frees may start one it has not reached.
    guard !isCancelled, job.failure == nil else { return finish() }
    let handle = request(job.service) { result in
      if case .failure(let error) = result { self.job.fail(error) }
      self.state.withLock { $0 = .ended(try? result.get()) }
      self.finish()
    }
    state.withLock { if case .waiting = $0 { $0 = .underWay(handle) } }
    if isCancelled { handle.cancel() }
  }

  override func cancel() {
    super.cancel()
    if case .underWay(let handle) = state.withLock({ $0 }) { handle.cancel() }
  }
}
