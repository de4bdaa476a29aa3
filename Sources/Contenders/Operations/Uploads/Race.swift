import Foundation
import Synchronization
import UploadScenario

extension OperationUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(on: service, queue, completion: completion)
    return job.run(post.media.map { RaceOperation(of: job, $0, hedgeDelay: hedgeDelay) }, for: post)
  }
}

/// Ends with the first upload that succeeds, which cancels the other.
private final class RaceOperation: MediaOperation, @unchecked Sendable {
  private let hedgeDelay: Duration
  private let errors = Mutex<[Mirror: any Error]>([:])

  init(of job: OperationJob, _ media: Media, hedgeDelay: Duration) {
    self.hedgeDelay = hedgeDelay
    super.init(of: job, media)
  }

  override func begin() {
    ask(.primary)
    if hedgeDelay > .zero { after(hedgeDelay, as: open()) { self.ask(.secondary) } } else { ask(.secondary) }
  }

  private func ask(_ mirror: Mirror) {
    request({ job.service.upload(media, to: mirror, completion: $0) }) {
      self.end(with: $0)
    } orElse: { error in
      let errors = self.errors.withLock { errors in
        errors[mirror] = error
        return errors
      }
      guard let primary = errors[.primary], let secondary = errors[.secondary] else { return }
      self.fail(RaceFailure(mediaIndex: self.media.index, primary: primary, secondary: secondary))
    }
  }
}
