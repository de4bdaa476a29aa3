#if AsyncAlgorithms
  import Synchronization
  import UploadScenario

  /// The library swift-async-algorithms: a channel passes media files to as many workers as the limit allows.
  public struct AsyncAlgorithmsUploads: PartialContender {
    public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
    public let name = "async-algorithms"
    public let summary = "swift-async-algorithms: an AsyncChannel that workers of a task group iterate"

    public init() {}

    func start(
      _ completion: @escaping Completion, _ body: @escaping @Sendable () async throws -> Publication
    ) -> any Cancellable {
      TaskHandle(
        Task {
          do { completion(.success(try await body())) } catch { completion(.failure(error)) }
        })
    }
  }

  private final class TaskHandle: Cancellable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    func cancel() { task.cancel() }
  }

  extension UploadService {
    func perform(_ request: Request) async throws -> Receipt {
      try await withCancellableRequest { perform(request, completion: $0) }
    }

    func author(of post: Post) async throws -> Author {
      try await withCancellableRequest { author(of: post, completion: $0) }
    }

    func place(of post: Post) async throws -> Place {
      try await withCancellableRequest { place(of: post, completion: $0) }
    }

    func audience(of post: Post) async throws -> Audience {
      try await withCancellableRequest { audience(of: post, completion: $0) }
    }

    func createPost(_ post: Post, details: PostDetails) async throws -> Publication {
      try await withCancellableRequest { createPost(post, details: details, completion: $0) }
    }

    func createPost(_ post: Post, receipts: [Receipt]) async throws -> Publication {
      try await withCancellableRequest { createPost(post, receipts: receipts, completion: $0) }
    }
  }

  /// Starts a request and awaits its completion. Cancelling the task cancels the request, whose answer is still awaited.
  private func withCancellableRequest<Value: Sendable>(
    _ start: (@escaping Callback<Value>) -> any Cancellable
  ) async throws -> Value {
    try Task.checkCancellation()
    let handle = Mutex<(any Cancellable)?>(nil)
    do {
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let request = start { continuation.resume(with: $0) }
          handle.withLock { $0 = request }
          // The cancellation handler may have run before `request` was set, so this checks again.
          if Task.isCancelled { request.cancel() }
        }
      } onCancel: {
        handle.withLock { $0 }?.cancel()
      }
    } catch {
      // In a cancelled task, the failure is reported as a cancellation.
      throw Task.isCancelled ? CancellationError() : error
    }
  }
#endif
