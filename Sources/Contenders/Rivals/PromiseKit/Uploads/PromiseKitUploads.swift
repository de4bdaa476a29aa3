#if PromiseKit
  import Dispatch
  import PromiseKit
  import UploadScenario

  /// PromiseKit: one promise per upload, a promise that is fulfilled when all of these are, then the promise of the post.
  public struct PromiseKitUploads: PartialContender {
    public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
    public let name = "promise-kit"
    public let summary = "PromiseKit: one promise per upload, when(fulfilled:), then the next"

    public init() {}
  }

  /// The job of one post. PromiseKit's promises cannot be cancelled, so it stores its requests and cancels them itself.
  final class PromiseJob<Service: UploadService>: Cancellable, @unchecked Sendable {
    // Invariant: all mutable state is accessed only on `queue`.
    /// The queue of handlers. PromiseKit's default is the main queue, which this process does not run.
    let queue = DispatchQueue(label: "promises", target: .global())
    private let service: Service
    private var requests: [any Cancellable] = []
    private var reason: (any Error)?

    init(_ service: Service) { self.service = service }

    func run(
      _ completion: @escaping Completion,
      _ publication: @escaping @Sendable (PromiseJob) -> Promise<Publication>
    ) -> PromiseJob {
      queue.async {
        publication(self)
          .ensure(on: self.queue) { self.requests = [] }
          .done(on: self.queue) { completion(.success($0)) }
          .catch(on: self.queue, policy: .allErrors) { completion(.failure($0)) }
      }
      return self
    }

    func cancel() { queue.async { _ = self.stop(because: CancellationError()) } }

    /// The receipts in the order of the media files, with at most `limit` uploads in flight.
    func uploads(_ media: [Media], limit: Int?) -> Promise<[Receipt]> {
      guard let limit else { return when(fulfilled: media.map(upload)) }
      return when(fulfilled: media.lazy.map(upload).makeIterator(), concurrently: limit)
    }

    func upload(_ media: Media) -> Promise<Receipt> { request { service.upload(media, completion: $0) } }
    func author(of post: Post) -> Promise<Author> { request { service.author(of: post, completion: $0) } }
    func place(of post: Post) -> Promise<Place> { request { service.place(of: post, completion: $0) } }

    func audience(of post: Post) -> Promise<Audience> {
      request { service.audience(of: post, completion: $0) }
    }

    func createPost(_ post: Post, receipts: [Receipt]) -> Promise<Publication> {
      request { service.createPost(post, receipts: receipts, completion: $0) }
    }

    func createPost(_ post: Post, details: PostDetails) -> Promise<Publication> {
      request { service.createPost(post, details: details, completion: $0) }
    }

    private func request<Value: Sendable>(
      _ start: (@escaping Callback<Value>) -> any Cancellable
    ) -> Promise<Value> {
      if let reason { return Promise(error: reason) }
      let (promise, resolver) = Promise<Value>.pending()
      // Any thread may use a resolver, which has its own lock, but its type is not declared `Sendable`.
      nonisolated(unsafe) let unsafeResolver = resolver
      requests.append(
        start { result in
          self.queue.async { unsafeResolver.resolve(result.mapError(self.stop)) }
        })
      return promise
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
