import Foundation
import Synchronization
import UploadScenario

/// One post on its way: what its operations share.
final class OperationJob: Cancellable {
  private struct State {
    var failure: (any Error)?
    var completion: Completion?
    var operations: [Operation] = []
    var post: Operation?
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
    let post = RequestOperation(of: self, create) { self.finish($0) }
    state.withLock { $0.post = post }
    return post
  }

  /// Adds operations, which are cancelled when the job fails.
  func add(_ operations: [Operation], on queue: OperationQueue) {
    state.withLock { $0.operations += operations }
    queue.addOperations(operations, waitUntilFinished: false)
  }

  func fail(_ error: any Error) {
    let (operations, post) = state.withLock { state -> ([Operation], Operation?) in
      guard state.failure == nil, state.completion != nil else { return ([], nil) }
      state.failure = error
      return (state.operations, state.post)
    }
    for operation in operations where operation !== post { operation.cancel() }
    // One that has not started would do so at once if it were cancelled, and not wait for those it depends on.
    if let post, post.isExecuting { post.cancel() }
  }

  /// Fails after a while, whatever the job is at.
  func setDeadline(_ delay: Duration) {
    guard delay > .zero else { return fail(DeadlineExceeded()) }
    let alarm = Alarm(after: delay) { self.fail(DeadlineExceeded()) }
    state.withLock { $0.deadline = alarm }
  }

  private func finish(_ result: Result<Publication, any Error>) {
    let (completion, deadline) = state.withLock { state in
      (state.operations, state.post) = ([], nil)
      return (state.completion.take(), state.deadline.take())
    }
    deadline?.cancel()
    queue.addOperation { completion?(result) }
  }
}
