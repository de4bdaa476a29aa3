#if OpenCombine
  import OpenCombine
  import Synchronization
  import UploadScenario

  /// OpenCombine: uploads are futures, flattened as they arrive, collected and put in order.
  public struct OpenCombineUploads: PartialContender {
    public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
    public let name = "open-combine"
    public let summary = "OpenCombine: futures flattened by flatMap, collected and sorted"

    public init() {}
  }

  extension UploadService {
    /// One upload as a publisher; cancelling its subscription cancels the upload.
    func upload(_ media: Media) -> some Publisher<Receipt, any Error> {
      publisher { upload(media, completion: $0) }
    }

    func author(of post: Post) -> some Publisher<Author, any Error> {
      publisher { author(of: post, completion: $0) }
    }

    func place(of post: Post) -> some Publisher<Place, any Error> {
      publisher { place(of: post, completion: $0) }
    }

    func audience(of post: Post) -> some Publisher<Audience, any Error> {
      publisher { audience(of: post, completion: $0) }
    }

    func createPost(_ post: Post, details: PostDetails) -> some Publisher<Publication, any Error> {
      publisher { createPost(post, details: details, completion: $0) }
    }

    /// The creation of the post as a publisher.
    func createPost(_ post: Post, receipts: [Receipt]) -> some Publisher<Publication, any Error> {
      publisher { createPost(post, receipts: receipts, completion: $0) }
    }
  }

  /// Starts a request when it is subscribed to, and cancels it with the subscription.
  private func publisher<Value>(
    _ start:
      @escaping (@escaping @Sendable (Result<Value, any Error>) -> Void) -> any UploadScenario.Cancellable
  ) -> some Publisher<Value, any Error> {
    Deferred {
      let request = Request()
      return Future<Value, any Error> { promise in
        // A future is guarded by a lock of its own, although OpenCombine does not say so in its types.
        nonisolated(unsafe) let promise = promise
        request.handle = start { promise($0) }
      }
      .handleEvents(receiveCancel: { request.handle?.cancel() })
    }
  }

  /// What a request can be cancelled by, once it has started.
  private final class Request {
    var handle: (any UploadScenario.Cancellable)?
  }
#endif
