import Coroutines
import UploadScenario

/// Stackful coroutines: code that looks serial, and suspends where it waits.
public struct CoroutineUploads: Contender {
  public let name = "coroutines"
  public let summary = "a stackful coroutine per upload in a scope, results in order"

  public init() {}
}

extension UploadService {
  /// The callback as a call that suspends.
  func upload(_ media: Media) throws -> Receipt {
    try Coroutine.withContinuation(cancel: { $0.cancel() }) { upload(media, completion: $0.resume(with:)) }
  }

  func createPost(_ post: Post, receipts: [Receipt]) throws -> Publication {
    try Coroutine.withContinuation(cancel: { $0.cancel() }) {
      createPost(post, receipts: receipts, completion: $0.resume(with:))
    }
  }
}

extension CoFuture: Cancellable {}
