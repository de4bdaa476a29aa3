import ReactiveStreams
import UploadScenario

/// Publishers with demand, in the style of Combine and Rx: uploads are publishers, and a pattern is a chain of operators.
public struct ReactiveStreamUploads: Contender {
  public let name = "reactive-streams"
  public let summary = "reactive streams: publishers with demand, flattened in order and collected"

  public init() {}
}

extension ReactiveStreamUploads {
  /// The variants: a zip of all uploads, like in articles on Combine, and publishers that async code awaits.
  public static let variants: [any Contender] = [ZipMany(), AsyncAwait()]
}

/// The publisher of a request's answer. Cancelling the subscription cancels the request.
typealias Answer<Value: Sendable> = FromCallback<Value, any Error, any Cancellable>

extension UploadService {
  func perform(_ request: Request) -> Answer<Receipt> {
    Answer({ resolver in perform(request) { resolver($0) } }) { $0.cancel() }
  }

  func issueURL(for prepared: PreparedMedia) -> Answer<UploadURL> {
    .request { resolver in issueURL(for: prepared) { resolver($0) } }
  }

  func author(of post: Post) -> Answer<Author> { .request { resolver in author(of: post) { resolver($0) } } }
  func place(of post: Post) -> Answer<Place> { .request { resolver in place(of: post) { resolver($0) } } }
  func audience(of post: Post) -> Answer<Audience> {
    .request { resolver in audience(of: post) { resolver($0) } }
  }

  func createPost(_ post: Post, receipts: [Receipt]) -> Answer<Publication> {
    .request { resolver in createPost(post, receipts: receipts) { resolver($0) } }
  }

  func createPost(_ post: Post, details: PostDetails) -> Answer<Publication> {
    .request { resolver in createPost(post, details: details) { resolver($0) } }
  }
}

extension FromCallback where Failure == any Error, Handle == any Cancellable {
  /// Converts a call with a completion to a publisher.
  @inline(__always)
  static func request(_ work: @escaping Work) -> Self { Self(work) { $0.cancel() } }
}

extension Subscribers.Demand {
  static func atMost(_ limit: Int?) -> Self { limit.map { .max($0) } ?? .unlimited }
}

/// The result of `subscribe(receiveResult:)` is the job's handle. It reports the created post, the failure or the cancellation.
extension Subscribers.ResultSink: Cancellable {}
extension AnyCancellable: Cancellable {}
