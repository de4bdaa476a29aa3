import Coroutines
import UploadScenario

extension CoroutineUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    start(on: pool, completion) { [self] in
      try within(policy.deadline, orThrow: DeadlineExceeded()) {
        let receipts = try CoGroup.run(on: pool) { group in
          try group.map(post.media) { try upload($0, to: service, policy: policy) }
        }
        return try service.createPost(post, receipts: receipts)
      }
    }
  }

  private func upload(_ media: Media, to service: some UploadService, policy: RetryPolicy) throws -> Receipt {
    var attempt = 1
    while true {
      do {
        return try within(policy.attemptDeadline, orThrow: AttemptTimedOut(mediaIndex: media.index)) {
          try service.perform(.upload(media))
        }
      } catch  where attempt < policy.attempts && RetryPolicy.isTransient(error) {
        try Coroutine.delay(policy.backoff(afterAttempt: attempt, of: media), on: timer)
        attempt += 1
      }
    }
  }

  private func within<Value>(
    _ duration: Duration?, orThrow timeout: some Error, _ body: () throws -> Value
  ) throws -> Value {
    guard let duration else { return try body() }
    do {
      return try Coroutine.withTimeout(duration, on: timer, body)
    } catch CoroutineError.timedOut {
      throw timeout
    }
  }
}
