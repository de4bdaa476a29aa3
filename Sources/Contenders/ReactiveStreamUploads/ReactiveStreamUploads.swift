import ReactiveStreams
import UploadScenario

/// Publishers with demand, in the style of Combine and Rx: uploads are publishers, a pattern is a chain.
public struct ReactiveStreamUploads: Contender {
  public let name = "reactive-streams"
  public let summary = "reactive streams: publishers with demand, flattened in order and collected"

  public init() {}
}

extension UploadService {
  /// One upload as a publisher of its receipt; cancelling the subscription cancels the upload.
  func upload(_ media: Media) -> FromCallback<Receipt, any Error, any Cancellable> {
    FromCallback { resolver in
      upload(media) { resolver($0) }
    } cancel: {
      $0.cancel()
    }
  }

  /// The creation of the post as a publisher of the publication.
  func createPost(
    _ post: Post, receipts: [Receipt]
  ) -> FromCallback<Publication, any Error, any Cancellable> {
    FromCallback { resolver in
      createPost(post, receipts: receipts) { resolver($0) }
    } cancel: {
      $0.cancel()
    }
  }
}

/// The way out of the stream: calls back once, with the publication, the first failure or the cancellation.
extension Subscribers.ResultSink: Cancellable {}
