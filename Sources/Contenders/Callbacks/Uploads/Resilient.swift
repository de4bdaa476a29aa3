import Dispatch
import UploadScenario

extension CallbackUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post, service, missing: post.media.count, completion)
    if let deadline = policy.deadline {
      job.keep(Timer(after: deadline) { job.fail(DeadlineExceeded()) })
      if deadline <= .zero { job.fail(DeadlineExceeded()) }
    }
    return job.run { job.attempt(1, at: $0, policy) }
  }
}

extension Job {
  fileprivate func attempt(_ number: Int, at media: Media, _ policy: RetryPolicy) {
    guard begin() != nil else { return }
    let deadline = policy.attemptDeadline.map { DispatchTime.now() + DispatchTimeInterval($0) }
    let end = { @Sendable (result: Result<Receipt, any Error>) in
      let isLate = deadline.map { $0 <= .now() } ?? false
      let result = isLate ? .failure(AttemptTimedOut(mediaIndex: media.index)) : result
      guard case .failure(let error) = result, RetryPolicy.isTransient(error), number < policy.attempts else {
        return self.finish { try $0.add(result.get()) }
      }
      self.finish { _ in }
      let backoff = policy.backoff(afterAttempt: number, of: media)
      self.keep(Timer(after: backoff) { self.attempt(number + 1, at: media, policy) })
    }
    if let time = policy.attemptDeadline, time <= .zero { return end(.failure(CancellationError())) }
    let request = service.perform(.upload(media), completion: end)
    keep(request)
    if let time = policy.attemptDeadline { keep(Timer(after: time) { request.cancel() }) }
  }
}
