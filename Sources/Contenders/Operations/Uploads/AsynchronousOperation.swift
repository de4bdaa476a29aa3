import Foundation
import Synchronization
import UploadScenario

/// An operation that goes on after `main` has returned, until `finish`: it comes to a value or fails its job.
/// It keeps its own executing and finished state and announces both: without that its queue never drains.
class AsynchronousOperation<Value: Sendable>: Operation, @unchecked Sendable {
  private struct State {
    var (isExecuting, isFinished) = (false, false)
    var value: Value?
    /// The requests and timers that it waits for; nil once it ends.
    var handles: [any Cancellable]? = []
  }

  private let job: OperationJob
  let body: @Sendable (AsynchronousOperation) -> Void
  // Invariant: all that is mutable lies behind this lock.
  private let state = Mutex(State())

  /// - Parameter body: starts what the operation is made of, on a thread of the queue.
  init(of job: OperationJob, _ body: @escaping @Sendable (AsynchronousOperation) -> Void) {
    (self.job, self.body) = (job, body)
  }

  override final var isAsynchronous: Bool { true }
  override final var isExecuting: Bool { state.withLock { $0.isExecuting } }
  override final var isFinished: Bool { state.withLock { $0.isFinished } }
  /// nil before it has finished, and after an error.
  final var value: Value? { state.withLock { $0.value } }

  override final func start() {
    willChangeValue(forKey: "isExecuting")
    state.withLock { $0.isExecuting = true }
    didChangeValue(forKey: "isExecuting")
    main()
  }

  override func main() {
    if let error = job.error { finish(with: .failure(error)) } else { body(self) }
  }

  override func cancel() {
    super.cancel()
    if isExecuting { finish(with: .failure(CancellationError())) }
  }

  /// Ends the operation, and cancels what it still waits for; only the first call counts.
  final func finish(with result: Result<Value, any Error>) {
    let handles = state.withLock { state in
      if state.handles != nil { state.value = try? result.get() }
      return state.handles.take()
    }
    guard let handles else { return }
    for handle in handles { handle.cancel() }
    if case .failure(let error) = result { job.fail(error) }
    willChangeValue(forKey: "isExecuting")
    willChangeValue(forKey: "isFinished")
    state.withLock { ($0.isExecuting, $0.isFinished) = (false, true) }
    didChangeValue(forKey: "isExecuting")
    didChangeValue(forKey: "isFinished")
  }

  /// Keeps a request or a timer, and cancels it at once if the operation has ended.
  final func keep(_ handle: any Cancellable) {
    if state.withLock({ $0.handles?.append(handle) }) == nil { handle.cancel() }
  }

  /// Cancels what it waits for.
  final func stopWaiting() {
    let handles = state.withLock { state in
      defer { if state.handles != nil { state.handles = [] } }
      return state.handles ?? []
    }
    for handle in handles { handle.cancel() }
  }
}
