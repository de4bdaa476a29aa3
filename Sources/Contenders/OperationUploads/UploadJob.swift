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

  let post: Post
  let service: Service
  /// Holds the uploads alone: what cancels them must not start the last operation before they have ended.
  private let uploadQueue = OperationQueue()
  private let postQueue = OperationQueue()
  private let state: Mutex<State>

  init(_ post: Post, service: Service, limit: Int?, completion: @escaping Completion) {
    self.post = post
    self.service = service
    state = Mutex(State(completion: completion))
    if let limit { uploadQueue.maxConcurrentOperationCount = limit }
  }

  /// The first failure, or the cancellation.
  var failure: (any Error)? { state.withLock { $0.failure } }

  /// Runs the uploads, and after them the post.
  func run(_ uploads: [UploadOperation<Service>], then post: PostOperation<Service>) {
    state.withLock { $0.post = post }
    uploadQueue.addOperations(uploads, waitUntilFinished: false)
    postQueue.addOperation(post)
  }

  func cancel() { fail(CancellationError()) }

  func fail(_ error: any Error) {
    let (isFirst, post) = state.withLock { state in
      guard state.failure == nil, state.completion != nil else { return (false, state.post) }
      state.failure = error
      return (true, state.post)
    }
    guard isFirst else { return }
    uploadQueue.cancelAllOperations()
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
