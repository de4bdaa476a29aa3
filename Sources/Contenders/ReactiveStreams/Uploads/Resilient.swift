import Dispatch
import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    post.media.publisher
      .concatMapEager { [queue] media in
        service.upload(media).receive(on: queue)
          .timeout(policy.attemptDeadline, scheduler: queue ?? .global()) {
            AttemptTimedOut(mediaIndex: media.index)
          }
          .retry(
            policy.attempts - 1, delay: { policy.backoff(afterAttempt: $0, of: media) },
            on: queue ?? .global(), if: RetryPolicy.isTransient)
      }
      .collect()
      .flatMap { [queue] in service.createPost(post, receipts: $0).receive(on: queue) }
      .timeout(policy.deadline, scheduler: queue ?? .global()) { DeadlineExceeded() }
      .subscribe(receiveResult: completion)
  }
}
