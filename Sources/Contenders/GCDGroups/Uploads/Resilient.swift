import UploadScenario

extension GCDGroupUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob(post, service: service, on: queue, completion: completion)
    if let deadline = policy.deadline { job.setDeadline(deadline) }
    return job.run { job.attempt(1, at: post.media[$0], policy) }
  }
}

extension GroupJob where Progress == Receipts {
  fileprivate func attempt(_ count: Int, at media: Media, _ policy: RetryPolicy) {
    guard let attempt = open() else { return }
    let deadline = policy.attemptDeadline
    if deadline.map({ $0 > .zero }) ?? true {
      request(as: attempt, { service.upload(media, completion: $0) }) { receipt in
        self.change { _ = $0.keep(receipt, at: media.index) }
      } orElse: { error in
        self.retry(media, after: count, error, policy)
      }
    }
    guard let deadline else { return }
    after(deadline, as: attempt) {
      self.retry(media, after: count, AttemptTimedOut(mediaIndex: media.index), policy)
    }
  }

  private func retry(_ media: Media, after count: Int, _ error: any Error, _ policy: RetryPolicy) {
    guard RetryPolicy.isTransient(error), count < policy.attempts else { return fail(error) }
    guard let timer = open() else { return }
    let backoff = policy.backoff(afterAttempt: count, of: media)
    after(backoff, as: timer) { self.attempt(count + 1, at: media, policy) }
  }
}
