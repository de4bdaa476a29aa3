import Foundation
import Synchronization
import UploadScenario

/// One post on its way: what its operations share.
final class OperationJob<Service: UploadService>: Cancellable {
  private struct State {
    var failure: (any Error)?
    var completion: Completion?
    var post: PostOperation<Service>?
    var deadline: Alarm?
  }

  let service: Service
  /// Holds the requests alone: what cancels them must not start the last operation before they have ended.
  private let requestQueue = OperationQueue()
  private let postQueue = OperationQueue()
  private let state: Mutex<State>

  init(
    on service: Service, limit: Int? = nil, qualityOfService: QualityOfService? = nil,
    completion: @escaping Completion
  ) {
    self.service = service
    state = Mutex(State(completion: completion))
    if let qualityOfService {
      // An operation's queue priority would order it within its own queue only, and every post has one.
      requestQueue.qualityOfService = qualityOfService
      postQueue.qualityOfService = qualityOfService
    }
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

  /// Runs what makes requests of its own, and after it the post. It takes no place from the requests.
  func run(_ producer: Operation, then post: PostOperation<Service>) {
    post.addDependency(producer)
    state.withLock { $0.post = post }
    postQueue.addOperations([post, producer], waitUntilFinished: false)
  }

  /// Runs the requests; it is for them to start the post.
  func run(_ requests: [Operation], before post: PostOperation<Service>) {
    state.withLock { $0.post = post }
    requestQueue.addOperations(requests, waitUntilFinished: false)
  }

  /// Adds a request while the job is running.
  func add(_ request: Operation) { requestQueue.addOperation(request) }

  func cancel() { fail(CancellationError()) }

  func fail(_ error: any Error) {
    if stop(with: error) { state.withLock { $0.post }?.cancelRequests() }
  }

  /// Whether this is the first failure.
  private func stop(with error: any Error) -> Bool {
    let isFirst = state.withLock { state in
      guard state.failure == nil, state.completion != nil else { return false }
      state.failure = error
      return true
    }
    if isFirst { requestQueue.cancelAllOperations() }
    return isFirst
  }

  /// Fails after a while, and does not wait for the answer of a post that is under way.
  func setDeadline(_ deadline: Duration) {
    let alarm = Alarm(after: deadline) { self.expire() }
    state.withLock { $0.deadline = alarm }
  }

  func expire() {
    _ = stop(with: DeadlineExceeded())
    state.withLock { $0.post }?.expire()
  }

  func finish(_ result: Result<Publication, any Error>) {
    let (completion, deadline) = state.withLock { state in
      state.post = nil
      return (state.completion.take(), state.deadline.take())
    }
    deadline?.cancel()
    completion?(result)
  }
}

/// What follows the requests: the post, or the failure that keeps it from being created.
final class PostOperation<Service: UploadService>: CompositeOperation<Service>, @unchecked Sendable {
  typealias Creation =
    @Sendable (Service, @escaping Completion) -> any Cancellable

  private let creation: Creation
  private let result = Mutex<Result<Publication, any Error>>(.failure(CancellationError()))

  /// - Parameter creation: asks for the post; it is called when what it depends on has succeeded.
  init(of job: OperationJob<Service>, _ creation: @escaping Creation) {
    self.creation = creation
    super.init(of: job)
  }

  override var beginsAfterFailure: Bool { true }

  override func begin() {
    if let failure = job.failure { return end(with: .failure(failure)) }
    request(in: openGroup(), { creation(job.service, $0) }) { self.end(with: $0) }
  }

  /// Ends the operation, if it has begun, with the job's failure.
  func expire() {
    if let failure = job.failure, isExecuting { end(with: .failure(failure)) }
  }

  override func didFinish() { job.finish(result.withLock { $0 }) }

  private func end(with result: Result<Publication, any Error>) {
    end {
      self.result.withLock { $0 = result }
      return true
    }
  }
}
