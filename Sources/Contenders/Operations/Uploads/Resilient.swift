import Foundation
import UploadScenario

extension OperationUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(on: service, completion: completion)
    if let deadline = policy.deadline { deadline > .zero ? job.setDeadline(deadline) : job.expire() }
    job.runUploads(post.media.map { ResilientOperation(of: job, $0, policy) }, for: post)
    return job
  }
}

private final class ResilientOperation<Service: UploadService>: UploadOperation<Service>,
  @unchecked Sendable
{
  private let policy: RetryPolicy

  init(of job: OperationJob<Service>, _ media: Media, _ policy: RetryPolicy) {
    self.policy = policy
    super.init(of: job, media)
  }

  override func begin() { attempt(1) }

  private func attempt(_ number: Int) {
    let timedOut = Result<Receipt, any Error>.failure(AttemptTimedOut(mediaIndex: media.index))
    let attempt = openGroup()
    if let deadline = policy.attemptDeadline {
      guard deadline > .zero else { return endAttempt(number, timedOut) }
      after(deadline, in: attempt) { self.endAttempt(number, timedOut) }
    }
    request(in: attempt, { job.service.upload(media, completion: $0) }) { self.endAttempt(number, $0) }
  }

  private func endAttempt(_ number: Int, _ result: Result<Receipt, any Error>) {
    if case .failure(let error) = result, RetryPolicy.isTransient(error), number < policy.attempts {
      let backoff = policy.backoff(afterAttempt: number, of: media)
      after(backoff, in: openGroup()) { self.attempt(number + 1) }
    } else {
      end(with: result)
    }
  }
}
