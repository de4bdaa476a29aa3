import UploadScenario

extension CallbackUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post.media, completion) { service.createPost(post, receipts: $0, completion: $1) }
    @Sendable func attempt(_ number: Int, at media: Media) {
      let attempt = Contest(of: job)
      let end: Callback<Receipt> = { result in attempt.end { settle(number, at: media, result) } }
      if let deadline = policy.attemptDeadline {
        let late = AttemptTimedOut(mediaIndex: media.index)
        if deadline <= .zero { return end(.failure(late)) }
        attempt.start { Timer(after: deadline) { end(.failure(late)) } }
      }
      attempt.start { service.perform(.upload(media), completion: end) }
    }
    @Sendable func settle(_ number: Int, at media: Media, _ result: Result<Receipt, any Error>) {
      guard case .failure(let error) = result, RetryPolicy.isTransient(error), number < policy.attempts
      else { return job.end(result) { attempt(1, at: $0) } }
      let pause = Contest(of: job)
      let backoff = policy.backoff(afterAttempt: number, of: media)
      pause.start { Timer(after: backoff) { pause.end { attempt(number + 1, at: media) } } }
    }
    if let deadline = policy.deadline {
      if deadline <= .zero { job.fail(DeadlineExceeded()) }
      job.keep(Timer(after: deadline) { job.fail(DeadlineExceeded()) })
    }
    return job.run { attempt(1, at: $0) }
  }
}
