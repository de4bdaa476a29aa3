import UploadScenario

extension GCDGroupUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob()
    @Sendable func attempt(_ count: Int, at media: Media) {
      if job.error != nil { return }
      let attempt = Requests(of: job)
      let ended: Callback<Receipt> = { result in
        attempt.end { do { job.keep(try result.get()) } catch { retry(media, after: count, error) } }
      }
      if let deadline = policy.attemptDeadline {
        attempt.add(QueueTimer(after: deadline) { ended(.failure(AttemptTimedOut(mediaIndex: media.index))) })
        if deadline <= .zero { return }
      }
      attempt.add(service.upload(media, completion: ended))
    }
    @Sendable func retry(_ media: Media, after count: Int, _ error: any Error) {
      guard RetryPolicy.isTransient(error), count < policy.attempts else { return job.fail(error) }
      let pause = Requests(of: job)
      let backoff = policy.backoff(afterAttempt: count, of: media)
      pause.add(QueueTimer(after: backoff) { pause.end { attempt(count + 1, at: media) } })
    }
    if let deadline = policy.deadline {
      if deadline <= .zero { job.fail(DeadlineExceeded()) }
      job.requests.add(QueueTimer(after: deadline) { job.fail(DeadlineExceeded()) })
    }
    for media in post.media { attempt(1, at: media) }
    return job.notify(completion) { service.createPost(post, receipts: job.receipts, completion: $0) }
  }
}
