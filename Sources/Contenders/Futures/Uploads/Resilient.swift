import Futures
import UploadScenario

extension FutureUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    Future.timeout(after: policy.deadline, error: DeadlineExceeded()) {
      Future.all(post.media) { media in
        Future.retry(
          attempts: policy.attempts, delay: { policy.backoff(afterAttempt: $0, of: media) },
          if: RetryPolicy.isTransient
        ) {
          Future.timeout(
            after: policy.attemptDeadline, error: AttemptTimedOut(mediaIndex: media.index)
          ) { service.perform(.upload(media)) }
        }
      }
      .flatMap { service.createPost(post, receipts: $0) }
    }
    .report(to: completion)
  }
}
