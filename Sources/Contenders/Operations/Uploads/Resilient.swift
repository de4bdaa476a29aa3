import Synchronization
import UploadScenario

extension OperationUploads {
  public func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob()
    if let deadline = policy.deadline, deadline <= .zero { job.fail(DeadlineExceeded()) }
    let deadline = policy.deadline.map { Alarm(after: $0) { _ in job.fail(DeadlineExceeded()) } }
    let uploads = post.media.map { media in
      AsynchronousOperation<Receipt>(of: job) { upload in
        let ended = Mutex<Set<Int>>([])
        @Sendable func begin(_ attempt: Int) {
          let deadline = policy.attemptDeadline
          if deadline.map({ $0 > .zero }) ?? true {
            upload.request({ service.upload(media, completion: $0) }) { end(attempt, $0) }
          }
          guard let deadline else { return }
          let timeOut = AttemptTimedOut(mediaIndex: media.index)
          upload.request({ Alarm(after: deadline, $0) }) { _ in end(attempt, .failure(timeOut)) }
        }
        @Sendable func end(_ attempt: Int, _ result: Result<Receipt, any Error>) {
          // The answer or the deadline, whichever comes first, decides the attempt and cancels the other.
          guard ended.withLock({ $0.insert(attempt).inserted }) else { return }
          upload.cancelRequests()
          guard case .failure(let error) = result, RetryPolicy.isTransient(error), attempt < policy.attempts
          else { return upload.finish(with: result) }
          let backoff = policy.backoff(afterAttempt: attempt, of: media)
          upload.request({ Alarm(after: backoff, $0) }) { _ in begin(attempt + 1) }
        }
        begin(1)
      }
    }
    let ended: Completion = { result in
      deadline?.cancel()
      completion(result)
    }
    return job.run(uploads, ended) { service.createPost(post, receipts: uploads.values, completion: $0) }
  }
}
