import UploadScenario

typealias RequestCompletion = @Sendable (Result<Receipt, any Error>) -> Void
typealias PostCompletion = @Sendable (Result<Publication, any Error>) -> Void

/// What was asked of a service, and who is told the answer.
enum Job: Sendable {
  /// `attempt` counts how often it has been asked for, from 1.
  case request(Request, attempt: Int, RequestCompletion)
  case post(Post, [Receipt], PostCompletion)
}

/// Answers jobs without doing them, as the scenario's faults have it. The ledger hears first.
///
/// A class, so that a request can point to it without a reference count: what a service costs is part of what is
/// measured. The thread that answers keeps it alive.
final class MadeUpAnswers: Sendable {
  let ledger: Ledger
  let faults: Faults

  init(ledger: Ledger, faults: Faults) {
    self.ledger = ledger
    self.faults = faults
  }

  func answer(_ job: Job, isCancelled: Bool) {
    switch job {
    case .request(let request, let attempt, let completion):
      let result = answer(request, attempt: attempt, isCancelled: isCancelled)
      if case .uploadChunk(let chunk) = request { chunk.giveBack() }
      completion(result)
    case .post(let post, let receipts, let completion):
      if isCancelled { return completion(.failure(CancellationError())) }
      ledger.postCreated(receipts)
      completion(.success(Publication(postID: post.id, receipts: receipts)))
    }
  }

  /// Whether a request is one that is never answered unless it is cancelled.
  func staysSilent(_ request: Request, attempt: Int) -> Bool {
    !faults.isEmpty && faults.kind(of: request, attempt: attempt) == .silence
  }

  /// The answer of a call that blocks.
  func answerBlocking(_ request: Request, attempt: Int) throws -> Receipt {
    try answer(request, attempt: attempt, isCancelled: false).get()
  }

  private func answer(_ request: Request, attempt: Int, isCancelled: Bool) -> Result<Receipt, any Error> {
    if isCancelled {
      ledger.requestCancelled(request)
      return .failure(CancellationError())
    }
    if let error = faults.error(of: request, attempt: attempt) ?? request.mistake {
      ledger.requestFailed(request, mayGoOn: request.mayGoOn(after: error))
      return .failure(error)
    }
    let receipt = request.receipt
    ledger.requestFinished(request)
    return .success(receipt)
  }
}

extension Request {
  /// Whether the job goes on after this error: another mirror or another attempt may do it.
  func mayGoOn(after error: any Error) -> Bool {
    if case .uploadToMirror = self { return true }
    return RetryPolicy.isTransient(error)
  }

  /// The error of a request that no service accepts.
  var mistake: (any Error)? {
    guard case .uploadTo(let url, let prepared) = self, url != UploadURL(for: prepared) else { return nil }
    return failure(reason: "the URL was issued for another media")
  }
}

extension Ledger {
  /// Says that a request was made; returns how often it has been by now.
  func requestStarted(_ request: Request) -> Int { uploadStarted(request.ledgerIndex) }

  func requestFinished(_ request: Request) {
    uploadFinished(request.ledgerIndex)
    if case .uploadTo = request { chainEnded() }
  }

  func requestCancelled(_ request: Request) {
    uploadCancelled(request.ledgerIndex)
    if request.isPartOfChain { chainEnded() }
  }

  func requestFailed(_ request: Request, mayGoOn: Bool) {
    uploadFailed(request.ledgerIndex, mayGoOn: mayGoOn)
    if request.isPartOfChain { chainEnded() }
  }
}

extension Request {
  fileprivate var isPartOfChain: Bool {
    switch self {
    case .issueURL, .uploadTo: true
    default: false
    }
  }
}
