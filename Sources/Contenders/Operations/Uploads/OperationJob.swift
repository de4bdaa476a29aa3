import Foundation
import Synchronization
import UploadScenario

/// One post on its way: what its operations share.
final class OperationJob: Cancellable {
  private struct State {
    var failure: (any Error)?
    var completion: Completion?
    var operations: [Operation] = []
    var deadline: (any Cancellable)?
  }

  let service: any UploadService
  let queue: OperationQueue
  private let state: Mutex<State>

  init(on service: some UploadService, _ queue: OperationQueue, completion: @escaping Completion) {
    self.service = service
    self.queue = queue
    state = Mutex(State(completion: completion))
  }

  func cancel() { fail(CancellationError()) }
}

extension OperationJob {
  /// The first failure, or the cancellation.
  var failure: (any Error)? { state.withLock { $0.failure } }

  /// Runs the operations, and after them the one that asks for the post.
  ///
  /// - Parameter queue: where the operations run; nil: on the job's.
  func run(
    _ operations: [Operation], on queue: OperationQueue? = nil,
    then create: @escaping @Sendable (@escaping Completion) -> any Cancellable
  ) -> Self {
    let post = postOperation(create)
    for operation in operations { post.addDependency(operation) }
    // The post first, so that nothing it depends on finishes while it is being added.
    add([post], on: self.queue)
    add(operations, on: queue ?? self.queue)
    return self
  }

  /// What follows everything else: it asks for the post, unless the job has failed, and reports how it has ended.
  func postOperation(
    _ create: @escaping @Sendable (@escaping Completion) -> any Cancellable
  ) -> Operation {
    RequestOperation(of: self, create) { self.finish($0) }
  }

  /// Adds operations, which are cancelled when the job fails.
  func add(_ operations: [Operation], on queue: OperationQueue) {
    state.withLock { $0.operations += operations }
    queue.addOperations(operations, waitUntilFinished: false)
  }

  func fail(_ error: any Error) {
    let operations = state.withLock { state -> [Operation] in
      guard state.failure == nil, state.completion != nil else { return [] }
      state.failure = error
      return state.operations
    }
    // One that has not started looks at the failure when it does. Cancelled now, it would not wait for those it depends on, and
    // Foundation on Linux might read it after it is freed.
    for operation in operations where operation.isExecuting { operation.cancel() }
  }

  /// Fails after a while, whatever the job is at.
  func setDeadline(_ delay: Duration) {
    guard delay > .zero else { return fail(DeadlineExceeded()) }
    let alarm = Alarm(after: delay) { self.fail(DeadlineExceeded()) }
    state.withLock { $0.deadline = alarm }
  }

  /// - Parameter publication: nil after a failure.
  private func finish(_ publication: Publication?) {
    let (completion, failure, deadline) = state.withLock { state in
      state.operations = []
      return (state.completion.take(), state.failure, state.deadline.take())
    }
    deadline?.cancel()
    queue.addOperation {
      completion?(publication.map(Result.success) ?? .failure(failure ?? CancellationError()))
    }
  }
}
