import UploadScenario

typealias UploadCompletion = @Sendable (Result<Receipt, any Error>) -> Void
typealias LookupCompletion = @Sendable (Result<Void, any Error>) -> Void
typealias PostCompletion = @Sendable (Result<Publication, any Error>) -> Void

/// What was asked of a service, and who is told the answer.
enum Job: Sendable {
  case upload(Media, UploadCompletion)
  case lookup(PostDetail, LookupCompletion)
  case post(Post, [Receipt], PostCompletion)
}

/// Answers jobs without doing them, as the scenario's faults have it. The ledger hears first.
struct MadeUpAnswers: Sendable {
  let ledger: Ledger
  let faults: Faults

  func answer(_ job: Job, isCancelled: Bool) {
    switch job {
    case .upload(let media, let completion):
      if isCancelled {
        ledger.uploadCancelled(media.index)
        completion(.failure(CancellationError()))
      } else if let failure = faults.failure(at: media.index) {
        ledger.uploadFailed(media.index)
        completion(.failure(failure))
      } else {
        ledger.uploadFinished(media.index)
        completion(.success(media.expectedReceipt))
      }
    case .lookup(let detail, let completion):
      if isCancelled {
        ledger.uploadCancelled(detail.rawValue)
        completion(.failure(CancellationError()))
      } else if let failure = faults.failure(at: detail.rawValue) {
        ledger.uploadFailed(detail.rawValue)
        completion(.failure(LookupFailure(detail: detail, reason: failure.reason)))
      } else {
        ledger.uploadFinished(detail.rawValue)
        completion(.success(()))
      }
    case .post(let post, let receipts, let completion):
      if isCancelled { return completion(.failure(CancellationError())) }
      ledger.postCreated(receipts)
      completion(.success(Publication(postID: post.id, receipts: receipts)))
    }
  }
}
