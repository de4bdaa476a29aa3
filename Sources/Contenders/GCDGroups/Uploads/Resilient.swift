import Dispatch
import UploadScenario

extension GCDGroupUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupUploadJob(post, service: service, completion: completion)
    job.run {
      if let deadline = policy.deadline {
        if deadline <= .zero { return job.expire() }
        job.after(deadline) { job.expire() }
      }
      for media in post.media {
        job.enter(media)
        job.attempt(1, at: media, policy)
      }
    }
    return job
  }
}

/// An attempt and its timer, by number. Invariant: touched on the job's queue only.
private final class Attempt: @unchecked Sendable {
  var numbers: [Int] = []
}

extension GroupUploadJob {
  fileprivate func attempt(_ count: Int, at media: Media, _ policy: RetryPolicy) {
    let timedOut = Result<Receipt, any Error>.failure(AttemptTimedOut(mediaIndex: media.index))
    if let deadline = policy.attemptDeadline, deadline <= .zero {
      return end(count, at: media, policy, timedOut)
    }
    let attempt = Attempt()
    let upload = request({ service.upload(media, completion: $0) }) { result in
      for number in attempt.numbers { self.abandon(number) }
      self.end(count, at: media, policy, result)
    }
    attempt.numbers.append(upload)
    guard let deadline = policy.attemptDeadline else { return }
    let timer = after(deadline) {
      for number in attempt.numbers { self.abandon(number) }
      self.end(count, at: media, policy, timedOut)
    }
    attempt.numbers.append(timer)
  }

  private func end(
    _ count: Int, at media: Media, _ policy: RetryPolicy, _ result: Result<Receipt, any Error>
  ) {
    guard failure == nil else { return }
    if case .failure(let error) = result, RetryPolicy.isTransient(error), count < policy.attempts {
      after(policy.backoff(afterAttempt: count, of: media)) { self.attempt(count + 1, at: media, policy) }
    } else {
      keep(result, at: media.index)
      leave(media)
    }
  }
}
