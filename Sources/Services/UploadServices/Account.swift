import UploadScenario

/// A service's state for one ledger (the record of a post's requests). Requests refer to this object without reference counting,
/// because the answering thread retains it.
final class Account: Sendable {
  let ledger: Ledger
  let faults: Faults
  private let preparePasses: Int
  private let chunkBytes: Int

  init(ledger: Ledger, _ scenario: Scenario = Scenario(name: "", photos: 0)) {
    self.ledger = ledger
    (faults, preparePasses) = (scenario.faults, scenario.preparePasses)
    chunkBytes = scenario.chunkBytes
  }

  func prepare(_ media: Media) throws -> PreparedMedia {
    ledger.chainStarted()
    do { return try PreparedMedia(media, passes: preparePasses) } catch {
      ledger.chainEnded()
      throw error
    }
  }

  func chunks(of media: Media) throws -> ChunkReader {
    try ChunkReader(media, chunkBytes: chunkBytes, ledger: ledger)
  }

  /// Answers a job without uploading anything, according to the scenario's faults. Records the answer in the ledger first.
  func answer(_ job: Job, isCancelled: Bool) {
    switch job {
    case .request(let request, let attempt, let completion):
      completion(answer(request, attempt: attempt, isCancelled: isCancelled))
    case .post(let post, let receipts, let completion):
      completion(isCancelled ? .failure(CancellationError()) : .success(create(post, receipts)))
    }
  }

  func create(_ post: Post, _ receipts: [Receipt]) -> Publication {
    ledger.postCreated(receipts)
    return Publication(postID: post.id, receipts: receipts)
  }

  /// Whether a request gets no answer unless it is cancelled.
  func staysSilent(_ request: Request, attempt: Int) -> Bool {
    !faults.isEmpty && faults.kind(of: request, attempt: attempt) == .silence
  }

  /// The error of a request that fails because of the scenario's faults, or that no service may accept. `nil` if it succeeds.
  func error(of request: Request, attempt: Int) -> (any Error)? {
    faults.error(of: request, attempt: attempt) ?? request.mistake
  }

  /// Records the answer to a request in the ledger and returns it. Nothing is uploaded; the scenario's faults decide the result.
  func answer(_ request: Request, attempt: Int, isCancelled: Bool) -> Result<Receipt, any Error> {
    defer { if case .uploadChunk(let chunk) = request { chunk.giveBack() } }
    if isCancelled {
      ledger.requestCancelled(request)
      return .failure(CancellationError())
    }
    if let error = error(of: request, attempt: attempt) {
      ledger.requestFailed(request, error)
      return .failure(error)
    }
    let receipt = request.receipt
    ledger.requestFinished(request)
    return .success(receipt)
  }
}

extension Request {
  var mediaToStore: Media? {
    switch self {
    case .upload(let media), .uploadToMirror(let media, _): media
    case .uploadTo(_, let prepared): prepared.media
    case .issueURL, .uploadChunk, .lookUp: nil
    }
  }

  /// Whether the job may continue after this error, with another mirror or another attempt.
  fileprivate func mayGoOn(after error: any Error) -> Bool {
    if case .uploadToMirror = self { return true }
    return RetryPolicy.isTransient(error)
  }

  /// The error of a request that no service may accept.
  fileprivate var mistake: (any Error)? {
    guard case .uploadTo(let url, let prepared) = self, url != UploadURL(for: prepared) else { return nil }
    return failure(reason: "the URL was issued for another media file")
  }

  fileprivate var isPartOfChain: Bool {
    switch self {
    case .issueURL, .uploadTo: true
    default: false
    }
  }
}

extension Ledger {
  /// Records that a request was made. Returns how often it has been made.
  func requestStarted(_ request: Request) -> Int { uploadStarted(request.ledgerIndex) }

  func requestFinished(_ request: Request) {
    uploadFinished(request.ledgerIndex)
    if case .uploadTo = request { chainEnded() }
  }

  func requestCancelled(_ request: Request) {
    uploadCancelled(request.ledgerIndex)
    if request.isPartOfChain { chainEnded() }
  }

  func requestFailed(_ request: Request, _ error: any Error) {
    uploadFailed(request.ledgerIndex, mayGoOn: request.mayGoOn(after: error))
    if request.isPartOfChain { chainEnded() }
  }

  func note(_ answer: Result<Receipt, any Error>, of request: Request) {
    switch answer {
    case .success: requestFinished(request)
    case .failure(is CancellationError): requestCancelled(request)
    case .failure(let error): requestFailed(request, error)
    }
  }
}
