import Foundation
import Synchronization
import UploadScenario

/// What follows the requests: the post, or the failure that keeps it from being created.
final class PostOperation<Service: UploadService>: CompositeOperation<Service>, @unchecked Sendable {
  typealias Creation =
    @Sendable (Service, @escaping @Sendable (Result<Publication, any Error>) -> Void) -> any Cancellable

  private let creation: Creation
  private let result = Mutex<Result<Publication, any Error>>(.failure(CancellationError()))

  /// - Parameter creation: asks for the post; it is called when what it depends on has succeeded.
  init(of job: UploadJob<Service>, _ creation: @escaping Creation) {
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
