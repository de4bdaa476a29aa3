import Dispatch
import Futures
import UploadScenario

/// Promises and futures: each upload is a future of its receipt; a post is made from all of them.
public struct FutureUploads: Contender {
  public let name: String
  public let summary = "futures: one promise per upload, all of them in order, then the next future"
  public let context: CompletionContext?
  /// Where answers are delivered; nil: where the service has them.
  let queue: DispatchQueue?

  public init() { self.init(.inline) }

  private init(_ context: CompletionContext) {
    name = context.name(of: "futures", usually: .inline)
    self.context = context
    queue = context.makeQueue(label: "futures")
  }

  public func on(_ context: CompletionContext) -> (any Contender)? { FutureUploads(context) }
}

extension FutureUploads {
  /// Other common ways to write the same.
  public static let variants: [any Contender] = [Promises(), AsyncValue()]
}

extension UploadService {
  func upload(_ media: Media) -> Future<Receipt> {
    future { promise in upload(media) { promise.complete(with: $0) } }
  }
  func upload(_ chunk: Chunk) -> Future<Receipt> {
    future { promise in upload(chunk) { promise.complete(with: $0) } }
  }

  func upload(_ media: Media, to mirror: Mirror) -> Future<Receipt> {
    future { promise in upload(media, to: mirror) { promise.complete(with: $0) } }
  }

  func issueURL(for prepared: PreparedMedia) -> Future<UploadURL> {
    future { promise in issueURL(for: prepared) { promise.complete(with: $0) } }
  }

  func upload(_ prepared: PreparedMedia, to url: UploadURL) -> Future<Receipt> {
    future { promise in upload(prepared, to: url) { promise.complete(with: $0) } }
  }

  func author(of post: Post) -> Future<Author> {
    future { promise in author(of: post) { promise.complete(with: $0) } }
  }
  func place(of post: Post) -> Future<Place> {
    future { promise in place(of: post) { promise.complete(with: $0) } }
  }
  func audience(of post: Post) -> Future<Audience> {
    future { promise in audience(of: post) { promise.complete(with: $0) } }
  }

  func createPost(_ post: Post, receipts: [Receipt]) -> Future<Publication> {
    future { promise in createPost(post, receipts: receipts) { promise.complete(with: $0) } }
  }

  func createPost(_ post: Post, details: PostDetails) -> Future<Publication> {
    future { promise in createPost(post, details: details) { promise.complete(with: $0) } }
  }
}

/// A request as a future of its answer; cancelling it cancels the request.
private func future<Value: Sendable>(
  _ start: (Promise<Value>) -> any Cancellable
) -> Future<Value> {
  let promise = Promise<Value>()
  promise.onCancel(start(promise).cancel)
  return promise.future
}

extension AnyFuture: Cancellable {}
