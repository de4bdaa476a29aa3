import UploadScenario
import UploadServices

/// A service that answers on the caller's thread, before the call returns.
final class InlineService: UploadService {
  private let ledger: Ledger
  private let faults: Faults

  init(ledger: Ledger, faults: Faults = Faults()) {
    self.ledger = ledger
    self.faults = faults
  }

  func perform(
    _ request: Request, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) -> any Cancellable {
    ledger.uploadStarted(request.ledgerIndex)
    if let failure = faults.error(of: request) {
      ledger.uploadFailed(request.ledgerIndex)
      completion(.failure(failure))
    } else {
      ledger.uploadFinished(request.ledgerIndex)
      completion(.success(request.receipt))
    }
    return Handle {}
  }

  func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    ledger.postCreated(receipts)
    completion(.success(Publication(postID: post.id, receipts: receipts)))
    return Handle {}
  }
}

/// A service that answers on four threads at once.
final class ParallelService: UploadService {
  private let services: [InstantService]

  init(ledger: Ledger, faults: Faults) {
    services = (0..<4).map { _ in InstantService(ledger: ledger, faults: faults) }
  }

  func perform(
    _ request: Request, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) -> any Cancellable {
    services[request.ledgerIndex % services.count].perform(request, completion: completion)
  }

  func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    services[0].createPost(post, receipts: receipts, completion: completion)
  }
}

extension UploadService {
  func uploadBlocking(_ media: Media) throws -> Receipt { media.expectedReceipt }
  func prepare(_ media: Media) throws -> PreparedMedia { try PreparedMedia(media, passes: 1) }
  func chunks(of media: Media) throws -> ChunkReader { try ChunkReader(media, chunkBytes: 8) }
}
