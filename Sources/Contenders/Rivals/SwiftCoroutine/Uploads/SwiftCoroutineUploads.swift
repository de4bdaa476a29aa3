#if SwiftCoroutine
  import Dispatch
  import SwiftCoroutine
  import Synchronization
  import UploadScenario

  /// SwiftCoroutine: a coroutine that starts futures and awaits each in turn.
  public struct SwiftCoroutineUploads: PartialContender {
    public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
    public let name = "swift-coroutine"
    public let summary = "SwiftCoroutine: a future per upload, awaited one by one in a stackful coroutine"

    public init() {}
  }

  /// One post on its way: a coroutine, and a scope with the futures of all that it may wait for.
  ///
  /// A coroutine awaits its futures in turn, but the first failure of any ends the job. So each failure cancels the scope,
  /// and the completion waits for both: for the coroutine to end, and for whoever cancels the rest.
  final class CoroutineJob<Service: UploadService>: Cancellable, @unchecked Sendable {
    private struct State {
      var completion: Completion?
      var result: Result<Publication, any Error>?
      /// Why the scope was cancelled: the first failure, or the cancellation.
      var reason: (any Error)?
      var busy = 1
    }

    // Invariant: a scope is guarded by atomics of its own.
    private let scope = CoScope()
    private let service: Service
    private let state = Mutex(State())

    init(_ service: Service) { self.service = service }

    /// Runs the body in a coroutine of the global queue, and hands its result to the completion.
    func run(
      _ completion: @escaping Completion, _ body: @escaping @Sendable (CoroutineJob) throws -> Publication
    ) -> CoroutineJob {
      state.withLock { $0.completion = completion }
      DispatchQueue.global().startCoroutine {
        let result = Result { try body(self) }
        self.state.withLock { $0.result = result }
        self.leave()
      }
      return self
    }

    func cancel() { fail(CancellationError()) }

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

    /// The receipts in the order of the media; at most `limit` uploads are in flight.
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
      // A promise is guarded by atomics of its own, although SwiftCoroutine is older than types that say so.
      nonisolated(unsafe) let promise = CoPromise<Value>()
      let request = start { result in
        if case .failure(let error) = result, promise.result == nil { self.fail(error) }
        promise.complete(with: result)
      }
      promise.whenCanceled { request.cancel() }
      return promise.added(to: scope)
    }

    private func fail(_ error: any Error) {
      let isFirst = state.withLock { state in
        guard state.reason == nil, state.busy > 0 else { return false }
        state.reason = error
        state.busy += 1
        return true
      }
      guard isFirst else { return }
      scope.cancel()
      leave()
    }

    /// The last one to leave calls the completion.
    private func leave() {
      let ended = state.withLock { state -> State? in
        state.busy -= 1
        guard state.busy == 0 else { return nil }
        defer { state.completion = nil }
        return state
      }
      guard let ended, let result = ended.result else { return }
      ended.completion?(result.mapError { ended.reason ?? $0 })
    }
  }
#endif
