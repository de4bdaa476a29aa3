import Foundation
import Synchronization
import UploadScenario

/// An operation that continues after `start` has returned, until all its requests are answered. Without the KVO notifications of
/// `isExecuting` and `isFinished`, its queue would wait forever.
final class AsynchronousOperation<Value: Sendable>: Operation, @unchecked Sendable {
  private struct State {
    var (isExecuting, isFinished) = (false, false)
    var value: Value?
    /// The handles of requests and timers. `nil` after the operation has a value or an error.
    var handles: [any Cancellable]? = []
    /// The number of unanswered requests, plus one while `body` runs.
    var pending = 1
  }

  private let job: OperationJob
  private let body: @Sendable (AsynchronousOperation) -> Void
  // Invariant: this lock protects all mutable state.
  private let state = Mutex(State())

  init(of job: OperationJob, _ body: @escaping @Sendable (AsynchronousOperation) -> Void) {
    (self.job, self.body) = (job, body)
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { state.withLock { $0.isExecuting } }
  override var isFinished: Bool { state.withLock { $0.isFinished } }
  /// The value. `nil` until it is known, and after an error.
  var value: Value? { state.withLock { $0.value } }

  override func start() {
    willChangeValue(forKey: "isExecuting")
    state.withLock { $0.isExecuting = true }
    didChangeValue(forKey: "isExecuting")
    body(self)
    leave()
  }

  /// Cancels a running operation's requests. An operation that has not started sees the job's error at its start: cancelling it
  /// earlier would skip its dependencies, and Foundation on Linux might read the freed operation.
  override func cancel() {
    guard isExecuting else { return }
    super.cancel()
    finish(with: .failure(CancellationError()))
  }

  /// Stores the value or fails the job, and cancels the operation's requests in flight.
  func finish(with result: Result<Value, any Error>) {
    if case .failure(let error) = result { job.fail(error) }
    let handles = state.withLock { state in
      state.value = try? result.get()
      return state.handles.take()
    }
    for handle in handles ?? [] { handle.cancel() }
  }

  /// Makes a request. If the job has failed, calls `next` with the error instead. If the operation has a value, does nothing.
  func request<Answer>(_ call: Call<Answer>, then next: @escaping Callback<Answer>) {
    if let error = job.error { return next(.failure(error)) }
    if value != nil { return }
    enter()
    let handle = call { [self] result in
      next(result)
      leave()
    }
    keep(handle)
  }

  func keep(_ handle: any Cancellable) {
    if state.withLock({ $0.handles?.append(handle) }) == nil { handle.cancel() }
  }

  func cancelRequests() { for handle in state.withLock({ $0.handles }) ?? [] { handle.cancel() } }
  func enter() { state.withLock { $0.pending += 1 } }
  func leave() {
    let isLast = state.withLock { state in
      state.pending -= 1
      return state.pending == 0
    }
    guard isLast else { return }
    willChangeValue(forKey: "isExecuting")
    willChangeValue(forKey: "isFinished")
    state.withLock { ($0.isExecuting, $0.isFinished) = (false, true) }
    didChangeValue(forKey: "isExecuting")
    didChangeValue(forKey: "isFinished")
  }
}
