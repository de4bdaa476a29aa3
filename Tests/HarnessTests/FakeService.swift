import Harness
import UploadScenario

/// Completes on the calling thread, or only when it is cancelled.
final class FakeService: UploadService, Sendable {
  let ledger: Ledger
  let scenario: Scenario

  init(ledger: Ledger, scenario: Scenario) {
    self.ledger = ledger
    self.scenario = scenario
  }

  final class Handle: Cancellable {
    let onCancel: @Sendable () -> Void
    init(onCancel: @escaping @Sendable () -> Void = {}) { self.onCancel = onCancel }
    func cancel() { onCancel() }
  }

  func perform(_ request: Request, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void)
    -> any Cancellable
  {
    ledger.uploadStarted(request.ledgerIndex)
    if scenario.cancelAfter != nil {
      return Handle {
        self.ledger.uploadCancelled(request.ledgerIndex)
        completion(.failure(CancellationError()))
      }
    }
    if let failure = scenario.faults.error(of: request) {
      ledger.uploadFailed(request.ledgerIndex)
      completion(.failure(failure))
    } else {
      ledger.uploadFinished(request.ledgerIndex)
      completion(.success(request.receipt))
    }
    return Handle()
  }

  func uploadBlocking(_ media: Media) throws -> Receipt { media.expectedReceipt }
  func prepare(_ media: Media) throws -> PreparedMedia {
    ledger.chainStarted()
    return try PreparedMedia(media, passes: 1)
  }
  func chunks(of media: Media) throws -> ChunkReader { try ChunkReader(media, chunkBytes: 8) }

  func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    ledger.postRequested()
    ledger.postCreated(receipts)
    completion(.success(Publication(postID: post.id, receipts: receipts)))
    return Handle()
  }
}

extension UploadSetup {
  /// With services that answer before the asking returns.
  static func faked(_ contender: any Contender, clock: HarnessClock = .monotonic) -> UploadSetup {
    UploadSetup(contender, clock: clock) { scenario, _, ledgers in
      ledgers.map { FakeService(ledger: $0, scenario: scenario) }
    }
  }
}
