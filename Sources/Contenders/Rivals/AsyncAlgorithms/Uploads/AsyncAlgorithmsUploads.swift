#if AsyncAlgorithms
  import AsyncAlgorithms
  import Synchronization
  import UploadScenario

  /// swift-async-algorithms: a channel hands the media to as many workers as may upload at once.
  public struct AsyncAlgorithmsUploads: PartialContender {
    public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
    public let name = "async-algorithms"
    public let summary = "swift-async-algorithms: an AsyncChannel that workers of a task group iterate"

    public init() {}

    /// Runs `body` in a task that the handle cancels.
    func start(
      _ completion: @escaping Completion, _ body: @escaping @Sendable () async throws -> Publication
    ) -> any Cancellable {
      TaskHandle(
        task: Task {
          let result: Result<Publication, any Error>
          do { result = .success(try await body()) } catch { result = .failure(error) }
          completion(result)
        })
    }
  }

  private final class TaskHandle: Cancellable {
    private let task: Task<Void, Never>

    init(task: Task<Void, Never>) { self.task = task }

    func cancel() { task.cancel() }
  }

  extension UploadService {
    func upload(_ media: Media) async throws -> Receipt {
      try await cancellable { upload(media, completion: $0) }
    }

    func author(of post: Post) async throws -> Author {
      try await cancellable { author(of: post, completion: $0) }
    }

    func place(of post: Post) async throws -> Place {
      try await cancellable { place(of: post, completion: $0) }
    }

    func audience(of post: Post) async throws -> Audience {
      try await cancellable { audience(of: post, completion: $0) }
    }

    func createPost(_ post: Post, details: PostDetails) async throws -> Publication {
      try await cancellable { createPost(post, details: details, completion: $0) }
    }

    func createPost(_ post: Post, receipts: [Receipt]) async throws -> Publication {
      try await cancellable { createPost(post, receipts: receipts, completion: $0) }
    }
  }

  /// Awaits a callback, and cancels what leads to it if the task is cancelled.
  private func cancellable<Value: Sendable>(
    _ start: (@escaping Callback<Value>) -> any Cancellable
  ) async throws -> Value {
    let request = CancellableRequest()
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      do {
        return try await withCheckedThrowingContinuation { continuation in
          request.started(start { if request.isAnsweredFirst() { continuation.resume(with: $0) } })
        }
      } catch {
        // Whatever a request fails with that was cancelled, it was the cancellation that came first.
        try Task.checkCancellation()
        throw error
      }
    } onCancel: {
      request.cancel()
    }
  }

  /// A handle that may be cancelled before it is there.
  private final class CancellableRequest: Sendable {
    private struct State {
      var handle: (any Cancellable)?
      var isCancelled = false
      var isAnswered = false
    }

    private let state = Mutex(State())

    /// Once: a continuation that is resumed twice ends the process.
    func isAnsweredFirst() -> Bool {
      state.withLock { state in
        defer { state.isAnswered = true }
        return !state.isAnswered
      }
    }

    func started(_ handle: any Cancellable) {
      let isCancelled = state.withLock { state in
        state.handle = handle
        return state.isCancelled
      }
      if isCancelled { handle.cancel() }
    }

    func cancel() {
      let handle = state.withLock { state in
        state.isCancelled = true
        return state.handle
      }
      handle?.cancel()
    }
  }
#endif
