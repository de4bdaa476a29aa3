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

  func upload(
    _ media: Media, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) -> any Cancellable {
    answer(media.index) { completion($0.map { media.expectedReceipt }) }
  }

  func lookUp(
    _ detail: PostDetail, of post: Post, completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) -> any Cancellable {
    answer(detail.rawValue, completion)
  }

  private func answer(_ index: Int, _ completion: @Sendable (Result<Void, any Error>) -> Void)
    -> any Cancellable
  {
    ledger.uploadStarted(index)
    if let failure = faults.failure(at: index) {
      ledger.uploadFailed(index)
      completion(.failure(failure))
    } else {
      ledger.uploadFinished(index)
      completion(.success(()))
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

  func upload(
    _ media: Media, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) -> any Cancellable {
    services[media.index % services.count].upload(media, completion: completion)
  }

  func lookUp(
    _ detail: PostDetail, of post: Post, completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) -> any Cancellable {
    services[detail.rawValue % services.count].lookUp(detail, of: post, completion: completion)
  }

  func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    services[0].createPost(post, receipts: receipts, completion: completion)
  }
}
