import Foundation
import Synchronization
import UploadScenario

extension OperationUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(on: service, completion: completion)
    job.runUploads(post.media.map { RaceOperation(of: job, $0, hedgeDelay: hedgeDelay) }, for: post)
    return job
  }
}

private final class RaceOperation<Service: UploadService>: UploadOperation<Service>, @unchecked Sendable {
  private let hedgeDelay: Duration
  private let errors = Mutex<[Mirror: any Error]>([:])

  init(of job: OperationJob<Service>, _ media: Media, hedgeDelay: Duration) {
    self.hedgeDelay = hedgeDelay
    super.init(of: job, media)
  }

  override func begin() {
    ask(.primary)
    if hedgeDelay > .zero {
      after(hedgeDelay, in: openGroup()) { self.ask(.secondary) }
    } else {
      ask(.secondary)
    }
  }

  private func ask(_ mirror: Mirror) {
    request(in: openGroup(), { job.service.upload(media, to: mirror, completion: $0) }) { result in
      guard case .failure(let error) = result else { return self.end(with: result) }
      let errors = self.errors.withLock { errors in
        errors[mirror] = error
        return errors
      }
      guard let primary = errors[.primary], let secondary = errors[.secondary] else { return }
      let failure = RaceFailure(mediaIndex: self.media.index, primary: primary, secondary: secondary)
      self.end(with: .failure(failure))
    }
  }
}
