import Foundation
import Synchronization
import UploadScenario

/// One post on its way: what its operations share.
final class UploadJob<Service: UploadService>: Cancellable {
  private struct State {
    var failure: (any Error)?
    var completion: Completion?
    var post: PostOperation<Service>?
  }

  let service: Service
  /// Holds the requests alone: what cancels them must not start the last operation before they have ended.
  private let requestQueue = OperationQueue()
  private let postQueue = OperationQueue()
  private let state: Mutex<State>

  init(on service: Service, limit: Int? = nil, completion: @escaping Completion) {
    self.service = service
    state = Mutex(State(completion: completion))
    if let limit { requestQueue.maxConcurrentOperationCount = limit }
  }

  /// The first failure, or the cancellation.
  var failure: (any Error)? { state.withLock { $0.failure } }

  /// Runs the requests, and after them the post.
  func run(_ requests: [Operation], then post: PostOperation<Service>) {
    for request in requests { post.addDependency(request) }
    state.withLock { $0.post = post }
    // The post first, so that nothing it depends on finishes while it is being added.
    postQueue.addOperation(post)
    requestQueue.addOperations(requests, waitUntilFinished: false)
  }

  func cancel() { fail(CancellationError()) }

  func fail(_ error: any Error) {
    let (isFirst, post) = state.withLock { state in
      guard state.failure == nil, state.completion != nil else { return (false, state.post) }
      state.failure = error
      return (true, state.post)
    }
    guard isFirst else { return }
    requestQueue.cancelAllOperations()
    post?.cancelCreation()
  }

  func finish(_ result: Result<Publication, any Error>) {
    let completion = state.withLock { state in
      defer {
        state.completion = nil
        state.post = nil
      }
      return state.completion
    }
    completion?(result)
  }
}
