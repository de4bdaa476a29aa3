import Dispatch
import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    let queue = DispatchQueue.global()
    return post.media.publisher
      .concatMapEager { media in
        service.perform(.upload(media))
          .timeout(policy.attemptDeadline, scheduler: queue) { AttemptTimedOut(mediaIndex: media.index) }
          .retry(
            policy.attempts - 1, delay: { policy.backoff(afterAttempt: $0, of: media) }, on: queue,
            if: RetryPolicy.isTransient)
      }
      .collect()
      .flatMap { service.createPost(post, receipts: $0) }
      .timeout(policy.deadline, scheduler: queue) { DeadlineExceeded() }
      .subscribe(receiveResult: completion)
  }
}
