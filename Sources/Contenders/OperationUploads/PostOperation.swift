import Foundation
import Synchronization
import UploadScenario

/// What follows the requests: the post, or the failure that keeps it from being created.
final class PostOperation<Service: UploadService>: AsynchronousOperation, @unchecked Sendable {
  typealias Creation =
    @Sendable (Service, @escaping @Sendable (Result<Publication, any Error>) -> Void) -> any Cancellable

  private let job: UploadJob<Service>
  private let creation: Creation
  private let handle = Mutex<(any Cancellable)?>(nil)

  /// - Parameter creation: asks for the post; it is called when what it depends on has succeeded.
  init(of job: UploadJob<Service>, _ creation: @escaping Creation) {
    self.job = job
    self.creation = creation
  }

  override func main() {
    if let failure = job.failure { return end(.failure(failure)) }
    let request = creation(job.service) { self.end($0) }
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
