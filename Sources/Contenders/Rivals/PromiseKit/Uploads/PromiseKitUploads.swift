#if PromiseKit
  import Dispatch
  import PromiseKit
  import Synchronization
  import UploadScenario

  /// PromiseKit: one promise per upload, fulfilled when all are, then the next promise.
  public struct PromiseKitUploads: PartialContender {
    public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
    public let name = "promise-kit"
    public let summary = "PromiseKit: one promise per upload, when(fulfilled:), then the next"

    public init() {}
  }

  /// One post on its way.
  ///
  /// PromiseKit's promises cannot be cancelled, so the job knows what is in flight and stops it by hand.
  final class PromiseJob<Service: UploadService>: Cancellable, Sendable {
    private struct State {
      /// What each request can be cancelled by; nil until it has been started.
      var inFlight: [Int: (any Cancellable)?] = [:]
      var started = 0
      /// Why the job was stopped: the first failure, or the cancellation.
      var reason: (any Error)?
    }

    /// Where the handlers of its promises run. PromiseKit's own default is the main queue, which a command leaves to
    /// itself; its documentation advises servers to have one of their own.
    let queue = DispatchQueue(label: "promises")
    private let service: Service
    private let state = Mutex(State())

    init(_ service: Service) { self.service = service }

    func cancel() { _ = stop(because: CancellationError()) }

    /// Hands the publication's result to the completion.
    func run(_ completion: @escaping Completion, _ publication: (PromiseJob) -> Promise<Publication>)
      -> PromiseJob
    {
      publication(self)
        .done(on: queue) { completion(.success($0)) }
        .catch(on: queue, policy: .allErrors) { completion(.failure($0)) }
      return self
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
      Promise { resolver in
        let id = try begin()
        // A resolver is guarded by a lock of its own, although PromiseKit does not say so in its types.
        nonisolated(unsafe) let resolver = resolver
        let request = start { result in
          guard self.state.withLock({ $0.inFlight.removeValue(forKey: id) }) != nil else { return }
          switch result {
          case .success(let value): resolver.fulfill(value)
          case .failure(let error): resolver.reject(self.stop(because: error))
          }
        }
        if !keep(request, as: id) { request.cancel() }
      }
    }

    private func begin() throws -> Int {
      try state.withLock { state in
        if let reason = state.reason { throw reason }
        defer { state.started += 1 }
        state.inFlight[state.started] = .some(nil)
        return state.started
      }
    }

    /// Whether the job goes on, so that the request may, too.
    private func keep(_ request: any Cancellable, as id: Int) -> Bool {
      state.withLock { state in
        if state.inFlight[id] != nil { state.inFlight[id] = request }
        return state.reason == nil
      }
    }

    /// Cancels what is in flight; gives the reason why the job was stopped first.
    private func stop(because error: any Error) -> any Error {
      let (reason, requests) = state.withLock { state in
        let reason = state.reason ?? error
        state.reason = reason
        return (reason, state.inFlight.values.compactMap { $0 })
      }
      for request in requests { request.cancel() }
      return reason
    }
  }
#endif
