import Futures
import UploadScenario

/// Promises and futures: each upload is a future of its receipt; a post is made from all of them.
public struct FutureUploads: Contender {
  public let name = "futures"
  public let summary = "futures: one promise per upload, all of them in order, then the next future"

  public init() {}
}

extension UploadService {
  /// One upload as a future; cancelling it cancels the upload.
  func upload(_ media: Media) -> Future<Receipt> {
    let promise = Promise<Receipt>()
    let request = upload(media) { promise.complete(with: $0) }
    promise.onCancel { request.cancel() }
    return promise.future
  }

  /// The creation of the post as a future.
  func createPost(_ post: Post, receipts: [Receipt]) -> Future<Publication> {
    let promise = Promise<Publication>()
    let request = createPost(post, receipts: receipts) { promise.complete(with: $0) }
    promise.onCancel { request.cancel() }
    return promise.future
  }
}

extension AnyFuture: Cancellable {}
