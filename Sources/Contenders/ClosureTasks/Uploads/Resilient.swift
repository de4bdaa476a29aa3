import ClosureTasks
import UploadScenario

extension ClosureTaskUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    ClosureTask.group(post.media) { media in
      service.perform(.upload(media))
        .timeout(after: policy.attemptDeadline, error: AttemptTimedOut(mediaIndex: media.index))
        .retry(
          attempts: policy.attempts, delay: { policy.backoff(afterAttempt: $0, of: media) },
          if: RetryPolicy.isTransient)
    }
    .then { service.createPost(post, receipts: $0) }
    .timeout(after: policy.deadline, error: DeadlineExceeded())
    .perform(on: nil, then: completion)
  }
}
