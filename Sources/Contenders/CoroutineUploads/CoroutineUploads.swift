import Coroutines
import UploadScenario

/// Stackful coroutines: code that looks serial, and suspends where it waits.
public struct CoroutineUploads: PartialContender {
  public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
  public let name = "coroutines"
  public let summary = "a stackful coroutine per upload in a scope, results in order"

  public init() {}
}

extension UploadService {
  func upload(_ media: Media) throws -> Receipt { try answer { upload(media, completion: $0) } }

  func author(of post: Post) throws -> Author { try answer { author(of: post, completion: $0) } }
  func place(of post: Post) throws -> Place { try answer { place(of: post, completion: $0) } }
  func audience(of post: Post) throws -> Audience { try answer { audience(of: post, completion: $0) } }

  func createPost(_ post: Post, receipts: [Receipt]) throws -> Publication {
    try answer { createPost(post, receipts: receipts, completion: $0) }
  }

  func createPost(_ post: Post, details: PostDetails) throws -> Publication {
    try answer { createPost(post, details: details, completion: $0) }
  }
}

/// The callback as a call that suspends.
private func answer<Value: Sendable>(
  _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> any Cancellable
) throws -> Value {
  try Coroutine.withContinuation(cancel: { $0.cancel() }) { start($0.resume(with:)) }
}

extension CoFuture: Cancellable {}
