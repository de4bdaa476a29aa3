import UploadScenario

final class Attempts<Service: UploadService>: @unchecked Sendable {
  // Invariant: accessed only inside the job's `enter`.
  private let job: Job<Service>
  private let media: Media
  private let policy: RetryPolicy
  /// Limits the current attempt.
  private var timer = 0
  private var firstError: (any Error)?
  /// The last attempt that has ended, and the attempts lost to late failures.
  private var (ended, lost) = (0, 0)

  init(_ job: Job<Service>, _ media: Media, _ policy: RetryPolicy) {
    self.job = job
    self.media = media
    self.policy = policy
  }

  func start(_ attempt: Int) {
    if attempt > 1 { job.hasRetried = true }
    guard let deadline = policy.attemptDeadline, job.flaw != .ignoresTheAttemptDeadline else {
      request(attempt)
      return
    }
    guard deadline > .zero else {
      return answered(attempt, .failure(AttemptTimedOut(mediaIndex: media.index)))
    }
    let id = request(attempt)
    timer = job.after(deadline) {
      self.job.forget(id)
      self.answered(attempt, .failure(AttemptTimedOut(mediaIndex: self.media.index)))
    }
  }

  @discardableResult
  private func request(_ attempt: Int) -> Int {
    let (job, media) = (job, media)
    return job.ask({ answer in
      job.service.upload(media) { result in
        if job.flaw == .countsLateFailures { job.enter { self.note(attempt, result) } }
        answer(result)
      }
    }) {
      self.job.forget(self.timer)
      self.answered(attempt, $0)
    }
  }

  private func note(_ attempt: Int, _ result: Result<Receipt, any Error>) {
    if case .failure(let error) = result, attempt <= ended, RetryPolicy.isTransient(error) { lost += 1 }
  }

  private func answered(_ attempt: Int, _ result: Result<Receipt, any Error>) {
    let job = job
    guard case .failure(let error) = result else { return job.arrived(media.index, result) }
    firstError = firstError ?? error
    ended = attempt
    let most = policy.attempts - lost + (job.flaw == .triesOnceTooOften ? 1 : 0)
    let isWorthIt = RetryPolicy.isTransient(error) || job.flaw == .retriesRefusals
    guard isWorthIt, attempt < most, job.flaw != .neverRetries else {
      let error = job.flaw == .reportsTheFirstError ? firstError! : error
      guard job.flaw == .waitsAfterTheLastAttempt, isWorthIt else { return job.fail(error) }
      job.after(policy.backoff(afterAttempt: attempt, of: media)) { job.fail(error) }
      return
    }
    let backoff = policy.backoff(afterAttempt: attempt, of: media)
    if backoff == .zero || job.flaw == .skipsTheBackoff {
      job.enter { self.start(attempt + 1) }
    } else {
      job.after(backoff) { self.start(attempt + 1) }
    }
  }
}
