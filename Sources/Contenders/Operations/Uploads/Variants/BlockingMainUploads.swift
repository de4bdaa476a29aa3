import Dispatch
import Foundation
import Synchronization
import UploadScenario

/// Synchronous operations: they need less code than asynchronous ones, but block a thread for each upload in flight.
struct BlockingMainUploads: PartialContender {
  let name = "operations/blocking-main"
  let summary = "synchronous operations whose main blocks at a semaphore until the answer is there"
  let patterns = [Pattern.publish]
  /// The number is small, because each upload blocks a thread, and Dispatch has one thread per core and adds only one a second.
  let mostInFlight: Int? = 6

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(limit: limit)
    let uploads = post.media.map { WaitingOperation(of: job, on: service, $0) }
    return job.run(uploads, completion) {
      service.createPost(post, receipts: uploads.map { $0.receipt! }, completion: $0)
    }
  }
}

/// An operation that ends when `main` returns.
private final class WaitingOperation: Operation, @unchecked Sendable {
  // Invariant: this lock protects all mutable state.
  private let state = Mutex<(handle: (any Cancellable)?, receipt: Receipt?)>((nil, nil))
  private let job: OperationJob
  private let service: any UploadService
  private let media: Media

  init(of job: OperationJob, on service: some UploadService, _ media: Media) {
    (self.job, self.service, self.media) = (job, service, media)
  }

  var receipt: Receipt? { state.withLock { $0.receipt } }

  override func main() {
    if job.error != nil { return }
    let answered = DispatchSemaphore(value: 0)
    let handle = service.upload(media) { [self] result in
      switch result {
      case .success(let receipt): state.withLock { $0.receipt = receipt }
      case .failure(let error): job.fail(error)
      }
      answered.signal()
    }
    state.withLock { $0.handle = handle }
    if isCancelled { handle.cancel() }
    answered.wait()
    state.withLock { $0.handle = nil }
  }

  override func cancel() {
    super.cancel()
    state.withLock { $0.handle }?.cancel()
  }
}
