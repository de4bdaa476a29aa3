import Dispatch
import ReactiveStreams
import UploadScenario

/// Publishers with demand, in the style of Combine and Rx: uploads are publishers, a pattern is a chain.
public struct ReactiveStreamUploads: Contender {
  public let name = "reactive-streams"
  public let summary = "reactive streams: publishers with demand, flattened in order and collected"
  let queue: DispatchQueue? = nil

  public init() {}
}

extension ReactiveStreamUploads {
  /// Other common ways to write the same.
  public static let variants: [any Contender] = [ZipMany(), FlatMap(), Sink(), AsyncAwait()]
}

/// A request as a publisher of its answer; cancelling the subscription cancels the request. Made where each request is: a helper that
/// took its closure would wrap it into another.
typealias Answer<Value: Sendable> = FromCallback<Value, any Error, any Cancellable>

extension UploadService {
  func upload(_ media: Media) -> Answer<Receipt> {
    Answer({ resolver in upload(media) { resolver($0) } }) { $0.cancel() }
  }
  func upload(_ chunk: Chunk) -> Answer<Receipt> {
    Answer({ resolver in upload(chunk) { resolver($0) } }) { $0.cancel() }
  }

  func upload(_ media: Media, to mirror: Mirror) -> Answer<Receipt> {
    Answer({ resolver in upload(media, to: mirror) { resolver($0) } }) { $0.cancel() }
  }

  func issueURL(for prepared: PreparedMedia) -> Answer<UploadURL> {
    Answer({ resolver in issueURL(for: prepared) { resolver($0) } }) { $0.cancel() }
  }

  func upload(_ prepared: PreparedMedia, to url: UploadURL) -> Answer<Receipt> {
    Answer({ resolver in upload(prepared, to: url) { resolver($0) } }) { $0.cancel() }
  }

  func author(of post: Post) -> Answer<Author> {
    Answer({ resolver in author(of: post) { resolver($0) } }) { $0.cancel() }
  }
  func place(of post: Post) -> Answer<Place> {
    Answer({ resolver in place(of: post) { resolver($0) } }) { $0.cancel() }
  }

  func audience(of post: Post) -> Answer<Audience> {
    Answer({ resolver in audience(of: post) { resolver($0) } }) { $0.cancel() }
  }

  func createPost(_ post: Post, receipts: [Receipt]) -> Answer<Publication> {
    Answer({ resolver in createPost(post, receipts: receipts) { resolver($0) } }) { $0.cancel() }
  }

  func createPost(_ post: Post, details: PostDetails) -> Answer<Publication> {
    Answer({ resolver in createPost(post, details: details) { resolver($0) } }) { $0.cancel() }
  }
}

extension Publisher {
  /// `receive(on:)`, if there is a queue.
  func receive(on queue: DispatchQueue?) -> Received<Self> { Received(upstream: self, queue: queue) }
}

struct Received<Upstream: Publisher>: Operator {
  let upstream: Upstream
  let queue: DispatchQueue?

  @inline(__always) func receive<S: Subscriber>(subscriber: consuming S)
  where S.Input == Upstream.Output, S.Failure == Upstream.Failure {
    if let queue {
      upstream.receive(on: queue).receive(subscriber: subscriber)
    } else {
      upstream.receive(subscriber: subscriber)
    }
  }
}

/// The way out of the stream: calls back once, with the publication, the first failure or the cancellation.
extension Subscribers.ResultSink: Cancellable {}
