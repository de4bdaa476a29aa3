#if RxSwift
  import Dispatch
  import RxSwift
  import UploadScenario

  /// RxSwift: uploads are singles, merged as they arrive, collected and sorted.
  public struct RxSwiftUploads: PartialContender {
    /// No `stream`: an observable cannot make its producer wait, so all chunks would be in memory.
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

  /// One post: a subscription that lives until its completion is called.
  ///
  /// Answers are observed on the job's queue, where it is also disposed of: disposal on another thread misses a request that is
  /// just starting.
  final class RxJob<Service: UploadService>: UploadScenario.Cancellable, @unchecked Sendable {
    // Invariant: all mutable state is accessed on `queue` only.
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

    /// Starts a request on subscription, and cancels it with the subscription.
    private func request<Value>(
      _ start:
        @escaping (Service, @escaping Callback<Value>) ->
        any UploadScenario.Cancellable
    ) -> Single<Value> {
      Single.create { [service] observer in
        // Any thread may call an observer, which its type does not declare.
        nonisolated(unsafe) let observer = observer
        let request = start(service) { observer($0) }
        return Disposables.create { request.cancel() }
      }
      .observe(on: queue)
    }

    /// Disposes of the rest first: RxSwift delivers an error before it disposes of the others.
    private func end(with result: Result<Publication, any Error>) {
      subscription.dispose()
      completion.take()?(result)
    }
  }
#endif
