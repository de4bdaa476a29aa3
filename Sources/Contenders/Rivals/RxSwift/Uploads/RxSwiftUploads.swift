#if RxSwift
  import Dispatch
  import RxSwift
  import UploadScenario

  /// RxSwift: uploads are singles. Their values are merged in the order of arrival, collected and sorted.
  public struct RxSwiftUploads: PartialContender {
    /// All patterns except `stream`, because an observable cannot make its producer wait, so all chunks would be in memory.
    public let patterns = Pattern.allCases.filter { $0 != .stream }
    public let name = "rx-swift"
    public let summary = "RxSwift: singles merged up to a limit, gathered by toArray and sorted"

    public init() {}
  }

  extension ObservableType where Element == Receipt {
    func inOrder() -> Single<[Receipt]> {
      toArray().map { $0.sorted { $0.mediaIndex < $1.mediaIndex } }
    }
  }

  /// The job of one post: a subscription that lives until the completion is called. It is disposed of on the queue of the
  /// answers, because on another thread the disposal would miss a request that is just starting.
  final class RxJob<Service: UploadService>: UploadScenario.Cancellable, @unchecked Sendable {
    // Invariant: all mutable state is accessed only on `queue`.
    let queue = SerialDispatchQueueScheduler(queue: .global(), internalSerialQueueName: "uploads")
    private let service: Service
    private let subscription = SingleAssignmentDisposable()
    private var completion: Completion?

    init(_ service: Service) { self.service = service }

    func run(_ completion: @escaping Completion, _ publication: @escaping (RxJob) -> Single<Publication>)
      -> RxJob
    {
      _ = queue.schedule(()) {
        self.completion = completion
        self.subscription.setDisposable(publication(self).subscribe { self.end(with: $0) })
        return Disposables.create()
      }
      return self
    }

    func cancel() {
      _ = queue.schedule(()) {
        self.end(with: .failure(CancellationError()))
        return Disposables.create()
      }
    }

    func perform(_ what: Request) -> Single<Receipt> { request { $0.perform(what, completion: $1) } }

    func issueURL(for prepared: PreparedMedia) -> Single<UploadURL> {
      request { $0.issueURL(for: prepared, completion: $1) }
    }

    func author(of post: Post) -> Single<Author> { request { $0.author(of: post, completion: $1) } }
    func place(of post: Post) -> Single<Place> { request { $0.place(of: post, completion: $1) } }
    func audience(of post: Post) -> Single<Audience> { request { $0.audience(of: post, completion: $1) } }

    func createPost(_ post: Post, receipts: [Receipt]) -> Single<Publication> {
      request { $0.createPost(post, receipts: receipts, completion: $1) }
    }

    func createPost(_ post: Post, details: PostDetails) -> Single<Publication> {
      request { $0.createPost(post, details: details, completion: $1) }
    }

    /// The observable of a request. A subscription starts the request, and its disposal cancels the request.
    private func request<Value>(
      _ start:
        @escaping (Service, @escaping Callback<Value>) ->
        any UploadScenario.Cancellable
    ) -> Single<Value> {
      Single.create { [service] observer in
        // Any thread may call an observer, but its type is not declared `Sendable`.
        nonisolated(unsafe) let observer = observer
        let request = start(service) { observer($0) }
        return Disposables.create { request.cancel() }
      }
      .observe(on: queue)
    }

    /// Disposes of the subscription, then calls the completion. RxSwift delivers an error before it cancels other observables.
    private func end(with result: Result<Publication, any Error>) {
      subscription.dispose()
      completion.take()?(result)
    }
  }
#endif
