import Dispatch
import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    post.media.publisher
      .concatMapEager { media in
        service.upload(media)
          .timeout(policy.attemptDeadline, scheduler: DispatchQueue.global()) {
            AttemptTimedOut(mediaIndex: media.index)
          }
          .retry(
            policy.attempts - 1, delay: { policy.backoff(afterAttempt: $0, of: media) },
            on: DispatchQueue.global(), if: RetryPolicy.isTransient)
      }
      .collect()
      .flatMap { service.createPost(post, receipts: $0) }
      .timeout(policy.deadline, scheduler: DispatchQueue.global()) { DeadlineExceeded() }
      .subscribe(receiveResult: completion)
  }
}
