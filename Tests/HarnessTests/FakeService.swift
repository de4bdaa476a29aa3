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

  func upload(_ media: Media, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void)
    -> any Cancellable
  {
    ledger.uploadStarted(media.index)
    if scenario.cancelAfterNanoseconds != nil {
      return Handle {
        self.ledger.uploadCancelled(media.index)
        completion(.failure(CancellationError()))
      }
    }
    if let failure = scenario.faults.failure(at: media.index) {
      ledger.uploadFailed(media.index)
      completion(.failure(failure))
    } else {
      ledger.uploadFinished(media.index)
      completion(.success(media.expectedReceipt))
    }
    return Handle()
  }

  func lookUp(
    _ detail: PostDetail, of post: Post, completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) -> any Cancellable {
    completion(.success(()))
    return Handle()
  }

  func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    ledger.postCreated(receipts)
    completion(.success(Publication(postID: post.id, receipts: receipts)))
    return Handle()
  }
}
