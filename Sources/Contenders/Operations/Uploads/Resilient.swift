import Foundation
import UploadScenario

extension OperationUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(on: service, queue, completion: completion)
    if let deadline = policy.deadline { job.setDeadline(deadline) }
    return job.run(post.media.map { ResilientOperation(of: job, $0, policy) }, for: post)
  }
}

private final class ResilientOperation: MediaOperation, @unchecked Sendable {
  private let policy: RetryPolicy

  init(of job: OperationJob, _ media: Media, _ policy: RetryPolicy) {
    self.policy = policy
    super.init(of: job, media)
  }

  override func begin() { attempt(1) }

  private func attempt(_ count: Int) {
    let (attempt, deadline) = (open(), policy.attemptDeadline)
    if deadline.map({ $0 > .zero }) ?? true {
      request(as: attempt, { job.service.upload(media, completion: $0) }) {
        self.end(with: $0)
      } orElse: {
        self.retry(after: count, $0)
      }
    }
    guard let deadline else { return }
    after(deadline, as: attempt) { self.retry(after: count, AttemptTimedOut(mediaIndex: self.media.index)) }
  }

  private func retry(after count: Int, _ error: any Error) {
    guard RetryPolicy.isTransient(error), count < policy.attempts else { return fail(error) }
    after(policy.backoff(afterAttempt: count, of: media), as: open()) { self.attempt(count + 1) }
  }
}
