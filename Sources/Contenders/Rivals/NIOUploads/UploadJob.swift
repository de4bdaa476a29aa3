#if NIO
  import NIOCore
  import NIOPosix
  import UploadScenario

  /// One post on its way, on an event loop of its own.
  ///
  /// NIO's futures cannot be cancelled, so the job knows what is in flight and stops it by hand.
  final class UploadJob<Service: UploadService>: Cancellable, @unchecked Sendable {
    // Invariant: everything mutable is touched on `loop` only.
    let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any()
    private let service: Service
    private var inFlight: [Int: any Cancellable] = [:]
    private var started = 0
    private var isStopped = false

    init(_ service: Service) { self.service = service }

    /// Makes the future on the loop, and hands its result to the completion.
    func run(
      _ completion: @escaping Completion,
      _ publication: @escaping @Sendable () -> EventLoopFuture<Publication>
    ) {
      loop.flatSubmit(publication).whenComplete(completion)
    }

    func cancel() { loop.execute { self.stop() } }

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

    /// A future for each media; at most `limit` are in flight.
    func uploads(_ media: [Media], limit: Int?) -> [EventLoopFuture<Receipt>] {
      guard let limit else { return media.map(upload) }
      let promises = media.map { _ in loop.makePromise(of: Receipt.self) }
      var next = 0
      func startNext() {
        guard !isStopped else { return promises.forEach { $0.fail(CancellationError()) } }
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
      _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> any Cancellable
    ) -> EventLoopFuture<Value> {
      guard !isStopped else { return loop.makeFailedFuture(CancellationError()) }
      let promise = loop.makePromise(of: Value.self)
      let id = started
      started += 1
      inFlight[id] = start { result in
        // Even if this is the loop: a service that answers at once must not deepen the stack.
        self.loop.execute {
          self.inFlight[id] = nil
          if case .failure = result { self.stop() }
          promise.completeWith(result)
        }
      }
      return promise.futureResult
    }

    private func stop() {
      isStopped = true
      for handle in inFlight.values { handle.cancel() }
    }
  }
#endif
