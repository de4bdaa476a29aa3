#if OpenCombine || canImport(Combine)
  import Dispatch
  import UploadScenario

  #if OpenCombine
    import OpenCombine
  #else
    import Combine
  #endif

  /// OpenCombine, or Apple's Combine if it exists and the trait is disabled. Uploads are futures; their values are flattened in
  /// the order of arrival, collected and sorted.
  public struct OpenCombineUploads: PartialContender {
    public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
    #if OpenCombine
      public let name = "open-combine"
      public let summary = "OpenCombine: futures flattened by flatMap, collected and sorted"
    #else
      public let name = "combine"
      public let summary = "Apple's Combine: futures flattened by flatMap, collected and sorted"
    #endif

    public init() {}

    #if OpenCombine
      public let brokenRequirements = [
        BrokenRequirement(
          "nothing-left", in: [.publish, .sequence],
          because:
            "OpenCombine 0.14.0: when an inner publisher fails, flatMap does not cancel its upstream, so "
            + "the flatMap and a sequence with elements left retain each other forever")
      ]
    #endif
  }

  /// The job of one post: a subscription that lives until the completion is called. It runs on one queue, because OpenCombine's
  /// `flatMap` loses values that are sent concurrently, and publishers that it receives during a cancellation.
  final class CombineJob<Service: UploadService>: UploadScenario.Cancellable, @unchecked Sendable {
    // Invariant: all mutable state is accessed only on `queue`.
    private let queue = DispatchQueue(label: "uploads", target: .global())
    private let service: Service
    private var subscription: AnyCancellable?
    private var completion: Completion?

    init(_ service: Service) { self.service = service }

    func run(
      _ completion: @escaping Completion,
      _ publication: @escaping @Sendable (CombineJob) -> AnyPublisher<Publication, any Error>
    ) -> CombineJob {
      queue.async {
        self.completion = completion
        self.subscription = publication(self).sink { end in
          if case .failure(let error) = end { self.end(with: .failure(error)) }
        } receiveValue: {
          self.end(with: .success($0))
        }
      }
      return self
    }

    func cancel() { queue.async { self.end(with: .failure(CancellationError())) } }

    func upload(_ media: Media) -> some Publisher<Receipt, any Error> {
      request { $0.upload(media, completion: $1) }
    }

    func author(of post: Post) -> some Publisher<Author, any Error> {
      request { $0.author(of: post, completion: $1) }
    }

    func place(of post: Post) -> some Publisher<Place, any Error> {
      request { $0.place(of: post, completion: $1) }
    }

    func audience(of post: Post) -> some Publisher<Audience, any Error> {
      request { $0.audience(of: post, completion: $1) }
    }

    func createPost(_ post: Post, details: PostDetails) -> some Publisher<Publication, any Error> {
      request { $0.createPost(post, details: details, completion: $1) }
    }

    func createPost(_ post: Post, receipts: [Receipt]) -> some Publisher<Publication, any Error> {
      request { $0.createPost(post, receipts: receipts, completion: $1) }
    }

    /// The publisher of a request. A subscription starts the request. Cancelling the subscription cancels the request.
    private func request<Value: Sendable>(
      _ start:
        @escaping (Service, @escaping Callback<Value>) ->
        any UploadScenario.Cancellable
    ) -> some Publisher<Value, any Error> {
      Deferred { [queue, service] in
        var request: (any UploadScenario.Cancellable)?
        return Future<Value, any Error> { promise in
          nonisolated(unsafe) let promise = promise
          request = start(service) { result in queue.async { promise(result) } }
        }
        .handleEvents(receiveCancel: { request?.cancel() })
      }
    }

    private func end(with result: Result<Publication, any Error>) {
      subscription.take()?.cancel()
      completion.take()?(result)
    }
  }
#endif
