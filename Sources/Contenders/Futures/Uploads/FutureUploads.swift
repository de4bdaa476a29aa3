import Futures
import UploadScenario

/// Promises and futures: each upload is a future of its receipt, and the post is created from all of them.
public struct FutureUploads: Contender {
  public let name = "futures"
  public let summary = "futures: one promise per upload, all of them in order, then the next future"

  public init() {}
}

extension FutureUploads {
  /// The variant in which async code awaits futures, to measure how much time the awaiting takes.
  public static let variants: [any Contender] = [AsyncValue()]
}

extension UploadService {
  func perform(_ request: Request) -> Future<Receipt> {
    .request { promise in perform(request) { promise.complete(with: $0) } }
  }

  func issueURL(for prepared: PreparedMedia) -> Future<UploadURL> {
    .request { promise in issueURL(for: prepared) { promise.complete(with: $0) } }
  }

  func author(of post: Post) -> Future<Author> {
    .request { promise in author(of: post) { promise.complete(with: $0) } }
  }
  func place(of post: Post) -> Future<Place> {
    .request { promise in place(of: post) { promise.complete(with: $0) } }
  }
  func audience(of post: Post) -> Future<Audience> {
    .request { promise in audience(of: post) { promise.complete(with: $0) } }
  }

  func createPost(_ post: Post, receipts: [Receipt]) -> Future<Publication> {
    .request { promise in createPost(post, receipts: receipts) { promise.complete(with: $0) } }
  }

  func createPost(_ post: Post, details: PostDetails) -> Future<Publication> {
    .request { promise in createPost(post, details: details) { promise.complete(with: $0) } }
  }
}

extension Future {
  /// Converts a call with a completion to a future. Cancelling the future cancels the request.
  @inline(__always)
  static func request(_ start: (Promise<Value>) -> any Cancellable) -> Future {
    .make { promise in promise.onCancel(start(promise)) { $0.cancel() } }
  }

  /// Calls the completion with the outcome of the future that creates the post. The returned future is the job's handle.
  func report(to completion: @escaping Callback<Value>) -> Future {
    whenComplete(completion)
    return self
  }
}

extension AnyFuture: Cancellable {}
