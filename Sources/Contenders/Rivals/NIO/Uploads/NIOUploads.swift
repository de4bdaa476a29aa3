#if NIO
  import NIOCore
  import NIOPosix
  import UploadScenario

  /// SwiftNIO: one promise per upload on an event loop, combined by `allSucceed`, then the future of the post.
  public struct NIOUploads: PartialContender {
    public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
    public let name = "nio"
    public let summary = "SwiftNIO: one promise per upload on an event loop, whenAllSucceed, then flatMap"

    public init() {}
  }

  /// The job of one post. NIO's futures cannot be cancelled, so it stores its requests and cancels them itself.
  final class EventLoopJob<Service: UploadService>: Cancellable, @unchecked Sendable {
    // Invariant: all mutable state is accessed only on `loop`.
    let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any()
    private let service: Service
    private var requests: [any Cancellable] = []
    private var reason: (any Error)?

    init(_ service: Service) { self.service = service }

    func run(
      _ completion: @escaping Completion,
      _ publication: @escaping @Sendable (EventLoopJob) -> EventLoopFuture<Publication>
    ) -> EventLoopJob {
      loop.flatSubmit { publication(self) }.whenComplete { result in
        self.requests = []
        completion(result)
      }
      return self
    }

    func cancel() { loop.execute { _ = self.stop(because: CancellationError()) } }

    /// The receipts in the order of the media files, with at most `limit` uploads in flight.
    func uploads(_ media: [Media], limit: Int?) -> EventLoopFuture<[Receipt]> {
      guard let limit else { return EventLoopFuture.whenAllSucceed(media.map(upload), on: loop) }
      var waiting = media.makeIterator()
      var receipts: [Receipt] = []
      func uploadNext() -> EventLoopFuture<Void> {
        guard let media = waiting.next() else { return loop.makeSucceededVoidFuture() }
        return upload(media).assumeIsolated()
          .flatMap {
            receipts.append($0)
            return uploadNext()
          }
          .nonisolated()
      }
      return EventLoopFuture.andAllSucceed((0..<limit).map { _ in uploadNext() }, on: loop).assumeIsolated()
        .map { receipts.sorted { $0.mediaIndex < $1.mediaIndex } }
        .nonisolated()
    }

    func upload(_ media: Media) -> EventLoopFuture<Receipt> {
      request { service.upload(media, completion: $0) }
    }

    func author(of post: Post) -> EventLoopFuture<Author> {
      request { service.author(of: post, completion: $0) }
    }

    func place(of post: Post) -> EventLoopFuture<Place> {
      request { service.place(of: post, completion: $0) }
    }

    func audience(of post: Post) -> EventLoopFuture<Audience> {
      request { service.audience(of: post, completion: $0) }
    }

    func createPost(_ post: Post, details: PostDetails) -> EventLoopFuture<Publication> {
      request { service.createPost(post, details: details, completion: $0) }
    }

    func createPost(_ post: Post, receipts: [Receipt]) -> EventLoopFuture<Publication> {
      request { service.createPost(post, receipts: receipts, completion: $0) }
    }

    private func request<Value: Sendable>(
      _ start: (@escaping Callback<Value>) -> any Cancellable
    ) -> EventLoopFuture<Value> {
      if let reason { return loop.makeFailedFuture(reason) }
      let promise = loop.makePromise(of: Value.self)
      requests.append(
        start { result in
          self.loop.execute { promise.completeWith(result.mapError(self.stop)) }
        })
      return promise.futureResult
    }

    /// Cancels all requests that are not yet answered. Returns the first error that stopped the job.
    private func stop(because error: any Error) -> any Error {
      let first = reason ?? error
      reason = first
      for request in requests { request.cancel() }
      requests = []
      return first
    }
  }
#endif
