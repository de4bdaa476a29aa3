import Foundation
import Synchronization
import UploadScenario

/// All that it takes to upload one media.
class UploadOperation<Service: UploadService>: CompositeOperation<Service>, @unchecked Sendable {
  let media: Media
  private let kept = Mutex<Receipt?>(nil)

  init(of job: UploadJob<Service>, _ media: Media) {
    self.media = media
    super.init(of: job)
  }

  /// The receipt, if the operation has succeeded.
  final var receipt: Receipt? { kept.withLock { $0 } }

  /// Ends the operation, and the job with it after a failure.
  final func end(with result: Result<Receipt, any Error>) {
    switch result {
    case .success(let receipt):
      end {
        kept.withLock { $0 = receipt }
        return true
      }
    case .failure(let error):
      job.fail(error)
      end()
    }
  }
}

extension UploadJob {
  /// Runs the operations, and after them creates the post from their receipts.
  func run(_ uploads: [UploadOperation<Service>], for post: Post) {
    let creation = PostOperation(of: self) { service, completion in
      service.createPost(post, receipts: uploads.compactMap(\.receipt), completion: completion)
    }
    run(uploads, then: creation)
  }
}
