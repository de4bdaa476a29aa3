import Foundation
import Synchronization
import UploadScenario

/// An operation that continues after `start` has returned, until all its requests are answered. It keeps its own executing and
/// finished state and announces both: otherwise its queue never drains.
final class AsynchronousOperation<Value: Sendable>: Operation, @unchecked Sendable {
  private struct State {
    var (isExecuting, isFinished) = (false, false)
    var value: Value?
    /// Requests and timers; nil once there is a value or an error.
    var handles: [any Cancellable]? = []
    /// Unanswered requests, and one for `body`.
    var pending = 1
  }

  private let job: OperationJob
  private let body: @Sendable (AsynchronousOperation) -> Void
  // Invariant: all mutable state is behind this lock.
  private let state = Mutex(State())

  init(of job: OperationJob, _ body: @escaping @Sendable (AsynchronousOperation) -> Void) {
    (self.job, self.body) = (job, body)
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { state.withLock { $0.isExecuting } }
  override var isFinished: Bool { state.withLock { $0.isFinished } }
  /// nil before it has a value, and after an error.
  var value: Value? { state.withLock { $0.value } }

  override func start() {
    willChangeValue(forKey: "isExecuting")
    state.withLock { $0.isExecuting = true }
    didChangeValue(forKey: "isExecuting")
    body(self)
    leave()
  }

  /// An operation that has not started sees the error at its start. Cancelled now, it would not wait for its dependencies, and
  /// Foundation on Linux might read it after it is freed.
  override func cancel() {
    guard isExecuting else { return }
    super.cancel()
    finish(with: .failure(CancellationError()))
  }

  /// Keeps the value or fails the job, and cancels what is still in flight.
  func finish(with result: Result<Value, any Error>) {
    if case .failure(let error) = result { job.fail(error) }
    let handles = state.withLock { state in
      state.value = try? result.get()
      return state.handles.take()
    }
    for handle in handles ?? [] { handle.cancel() }
  }

  /// Makes a request; after an error it gets the error as its answer, and after a value none.
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
