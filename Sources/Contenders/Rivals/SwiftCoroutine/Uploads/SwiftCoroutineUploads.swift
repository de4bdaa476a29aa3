#if SwiftCoroutine
  import Dispatch
  import SwiftCoroutine
  import UploadScenario

  /// SwiftCoroutine: a coroutine starts futures and awaits one after another.
  public struct SwiftCoroutineUploads: PartialContender {
    public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
    public let name = "swift-coroutine"
    public let summary = "SwiftCoroutine: a future per upload, awaited one by one in a stackful coroutine"

    public init() {}
  }

  /// The job of one post: a coroutine that awaits futures one after another, and a scope that the first failure of any cancels.
  final class CoroutineJob<Service: UploadService>: Cancellable, @unchecked Sendable {
    // Invariant: all mutable state is accessed only on `queue`, where the coroutine runs.
    private let queue = DispatchQueue(label: "uploads", target: .global())
    private let scope = CoScope()
    private let service: Service
    private var reason: (any Error)?

    init(_ service: Service) { self.service = service }

    func run(
      _ completion: @escaping Completion, _ body: @escaping @Sendable (CoroutineJob) throws -> Publication
    ) -> CoroutineJob {
      queue.startCoroutine {
        let result = Result { try body(self) }
        completion(result.mapError { self.reason ?? $0 })
      }
      return self
    }

    func cancel() { queue.async { self.stop(because: CancellationError()) } }

    func upload(_ media: Media) -> CoFuture<Receipt> { future { service.upload(media, completion: $0) } }
    func author(of post: Post) -> CoFuture<Author> { future { service.author(of: post, completion: $0) } }
    func place(of post: Post) -> CoFuture<Place> { future { service.place(of: post, completion: $0) } }

    func audience(of post: Post) -> CoFuture<Audience> {
      future { service.audience(of: post, completion: $0) }
    }

    func createPost(_ post: Post, receipts: [Receipt]) throws -> Publication {
      try future { service.createPost(post, receipts: receipts, completion: $0) }.await()
    }

    func createPost(_ post: Post, details: PostDetails) throws -> Publication {
      try future { service.createPost(post, details: details, completion: $0) }.await()
    }

    /// The receipts in the order of the media files, with at most `limit` uploads in flight.
    func uploads(_ media: [Media], limit: Int?) throws -> [Receipt] {
      guard let limit else { return try media.map(upload).map { try $0.await() } }
      let places = CoChannel<Void>(capacity: limit).added(to: scope)
      for _ in 0..<min(limit, media.count) { places.offer(()) }
      let uploads = try media.map { media in
        try places.awaitReceive()
        let upload = upload(media)
        upload.whenComplete { places.offer(()) }
        return upload
      }
      return try uploads.map { try $0.await() }
    }

    private func future<Value: Sendable>(
      _ start: (@escaping Callback<Value>) -> any Cancellable
    ) -> CoFuture<Value> {
      guard !scope.isCanceled else { return CoFuture(result: .failure(CoFutureError.canceled)) }
      // Any thread may use a promise, which has its own atomics, but its type is not declared `Sendable`.
      nonisolated(unsafe) let promise = CoPromise<Value>()
      let request = start { result in
        self.queue.async {
          if case .failure(let error) = result { self.stop(because: error) }
          promise.complete(with: result)
        }
      }
      promise.whenCanceled { request.cancel() }
      return promise.added(to: scope)
    }

    private func stop(because error: any Error) {
      reason = reason ?? error
      scope.cancel()
    }
  }
#endif
