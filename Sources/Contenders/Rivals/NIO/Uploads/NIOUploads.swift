#if NIO
  import NIOCore
  import NIOPosix
  import UploadScenario

  /// NIO: one promise per upload on an event loop, all of them succeed, then the next future.
  public struct NIOUploads: PartialContender {
    public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
    public let name = "nio"
    public let summary = "SwiftNIO: one promise per upload on an event loop, whenAllSucceed, then flatMap"

    public init() {}
  }

  /// One post on its way, on an event loop of its own.
  ///
  /// NIO's futures cannot be cancelled, so the job knows what is in flight and stops it by hand.
  final class EventLoopJob<Service: UploadService>: Cancellable, @unchecked Sendable {
    // Invariant: everything mutable is touched on `loop` only.
    let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any()
    private let service: Service
    private var inFlight: [Int: any Cancellable] = [:]
    private var started = 0
    /// Why the job was stopped: the first failure, or the cancellation.
    private var reason: (any Error)?

    init(_ service: Service) { self.service = service }

    /// Makes the future on the loop, and hands its result to the completion.
    func run(
      _ completion: @escaping Completion,
      _ publication: @escaping @Sendable (EventLoopJob) -> EventLoopFuture<Publication>
    ) -> EventLoopJob {
      loop.flatSubmit { publication(self) }.whenComplete(completion)
      return self
    }

    func cancel() { loop.execute { self.stop(because: CancellationError()) } }

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

    /// A future for each media file; at most `limit` are in flight.
    func uploads(_ media: [Media], limit: Int?) -> [EventLoopFuture<Receipt>] {
      guard let limit else { return media.map(upload) }
      let promises = media.map { _ in loop.makePromise(of: Receipt.self) }
      var next = 0
      func startNext() {
        if let reason { return promises.forEach { $0.fail(reason) } }
        guard next < media.count else { return }
        let upload = upload(media[next])
        upload.cascade(to: promises[next])
        next += 1
        upload.assumeIsolated().whenComplete { _ in startNext() }
      }
      for _ in 0..<limit { startNext() }
      return promises.map(\.futureResult)
    }

    private func request<Value: Sendable>(
      _ start: (@escaping Callback<Value>) -> any Cancellable
    ) -> EventLoopFuture<Value> {
      if let reason { return loop.makeFailedFuture(reason) }
      let promise = loop.makePromise(of: Value.self)
      let id = started
      started += 1
      inFlight[id] = start { result in
        // Even if this is the loop: a service that answers at once must not deepen the stack.
        self.loop.execute {
          guard self.inFlight.removeValue(forKey: id) != nil else { return }
          // Whatever fails once the job was stopped, it was the reason for that which came first.
          promise.completeWith(result.mapError(self.stop))
        }
      }
      return promise.futureResult
    }

    /// Cancels what is in flight; gives the reason why the job was stopped first.
    @discardableResult
    private func stop(because error: any Error) -> any Error {
      let first = reason ?? error
      reason = first
      for handle in inFlight.values { handle.cancel() }
      return first
    }
  }
#endif
