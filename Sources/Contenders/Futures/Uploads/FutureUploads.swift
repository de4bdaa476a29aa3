import Dispatch
import Futures
import UploadScenario

/// Promises and futures: each upload is a future of its receipt; a post is made from all of them.
public struct FutureUploads: Contender {
  public let name = "futures"
  public let summary = "futures: one promise per upload, all of them in order, then the next future"
  let queue: DispatchQueue? = nil

  public init() {}
}

extension FutureUploads {
  /// Other common ways to write the same.
  public static let variants: [any Contender] = [Promises(), AsyncValue()]
}

/// A request as a future of its answer; cancelling it cancels the request.
extension UploadService {
  func upload(_ media: Media) -> Future<Receipt> {
    .make { promise in promise.onCancel(upload(media) { promise.complete(with: $0) }) { $0.cancel() } }
  }
  func upload(_ chunk: Chunk) -> Future<Receipt> {
    .make { promise in promise.onCancel(upload(chunk) { promise.complete(with: $0) }) { $0.cancel() } }
  }

  func upload(_ media: Media, to mirror: Mirror) -> Future<Receipt> {
    .make { promise in
      promise.onCancel(upload(media, to: mirror) { promise.complete(with: $0) }) { $0.cancel() }
    }
  }

  func issueURL(for prepared: PreparedMedia) -> Future<UploadURL> {
    .make { promise in
      promise.onCancel(issueURL(for: prepared) { promise.complete(with: $0) }) { $0.cancel() }
    }
  }

  func upload(_ prepared: PreparedMedia, to url: UploadURL) -> Future<Receipt> {
    .make { promise in
      promise.onCancel(upload(prepared, to: url) { promise.complete(with: $0) }) { $0.cancel() }
    }
  }

  func author(of post: Post) -> Future<Author> {
    .make { promise in promise.onCancel(author(of: post) { promise.complete(with: $0) }) { $0.cancel() } }
  }
  func place(of post: Post) -> Future<Place> {
    .make { promise in promise.onCancel(place(of: post) { promise.complete(with: $0) }) { $0.cancel() } }
  }
  func audience(of post: Post) -> Future<Audience> {
    .make { promise in promise.onCancel(audience(of: post) { promise.complete(with: $0) }) { $0.cancel() } }
  }

  func createPost(_ post: Post, receipts: [Receipt]) -> Future<Publication> {
    .make { promise in
      promise.onCancel(createPost(post, receipts: receipts) { promise.complete(with: $0) }) { $0.cancel() }
    }
  }

  func createPost(_ post: Post, details: PostDetails) -> Future<Publication> {
    .make { promise in
      promise.onCancel(createPost(post, details: details) { promise.complete(with: $0) }) { $0.cancel() }
    }
  }
}

extension AnyFuture: Cancellable {}
