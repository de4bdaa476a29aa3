import Foundation
import Synchronization
import UploadScenario

/// One request, such as an upload.
final class RequestOperation<Service: UploadService, Value: Sendable>: AsynchronousOperation,
  @unchecked Sendable
{
  typealias Request =
    @Sendable (Service, @escaping Callback<Value>) -> any Cancellable

  private enum State {
    case waiting(Request)
    case starting
    case underWay(any Cancellable)
    case ended(Value?)
  }

  private let job: OperationJob<Service>
  private let state: Mutex<State>
  private let ended: @Sendable (Value?) -> Void

  /// - Parameter ended: is called when the operation is about to finish, with the answer if there was one.
  init(
    of job: OperationJob<Service>, _ request: @escaping Request,
    ended: @escaping @Sendable (Value?) -> Void = { _ in }
  ) {
    self.job = job
    self.ended = ended
    state = Mutex(.waiting(request))
  }

  /// The answer, once it has arrived.
  var value: Value? {
    state.withLock { if case .ended(let value) = $0 { value } else { nil } }
  }

  override func main() {
    // The queue cancels from front to back: a place that the first one frees may start one it has not reached.
    guard !isCancelled, job.failure == nil, let request = takeRequest() else {
      return end(.failure(CancellationError()))
    }
    let handle = request(job.service) { self.end($0) }
    state.withLock { if case .starting = $0 { $0 = .underWay(handle) } }
    if isCancelled { handle.cancel() }
  }

  override func cancel() {
    super.cancel()
    if case .underWay(let handle) = state.withLock({ $0 }) { handle.cancel() }
  }

  private func takeRequest() -> Request? {
    state.withLock { state in
      guard case .waiting(let request) = state else { return nil }
      state = .starting
      return request
    }
  }

  /// Ends the operation; a second answer does nothing.
  private func end(_ result: Result<Value, any Error>) {
    let value = try? result.get()
    let isFirst = state.withLock { state in
      if case .ended = state { return false }
      state = .ended(value)
      return true
    }
    guard isFirst else { return }
    if case .failure(let error) = result { job.fail(error) }
    ended(value)
    finish()
  }
}
