import Foundation
import Synchronization
import UploadScenario

/// What follows the uploads: the post, or the failure that keeps it from being created.
final class PostOperation<Service: UploadService>: AsynchronousOperation, @unchecked Sendable {
  private let uploads: [UploadOperation<Service>]
  private let job: UploadJob<Service>
  private let handle = Mutex<(any Cancellable)?>(nil)

  init(after uploads: [UploadOperation<Service>], of job: UploadJob<Service>) {
    self.uploads = uploads
    self.job = job
  }

  override func main() {
    if let failure = job.failure { return end(.failure(failure)) }
    let request = job.service.createPost(job.post, receipts: uploads.compactMap(\.receipt)) { self.end($0) }
    handle.withLock { if !isFinished { $0 = request } }
    if job.failure != nil { request.cancel() }
  }

  /// Cancels the creation of the post if it is under way.
  func cancelCreation() { handle.withLock { $0 }?.cancel() }

  private func end(_ result: Result<Publication, any Error>) {
    finish()
    handle.withLock { $0 = nil }
    job.finish(result)
  }
}
