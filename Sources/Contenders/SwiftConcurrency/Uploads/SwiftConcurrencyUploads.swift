import Synchronization
import UploadScenario

/// Swift's own concurrency: throwing task groups around checked continuations.
public struct SwiftConcurrencyUploads: Contender {
  public let name = "swift-concurrency"
  public let summary = "async/await: a throwing task group and checked continuations"
  /// A cancelled `Task.sleep` leaves its job with the system until its time.
  public let keepsCancelledTimers = true
  /// The clock of delays and deadlines.
  let clock: any Clock<Duration>

  public init(clock: any Clock<Duration> = .continuous) { self.clock = clock }
}

extension SwiftConcurrencyUploads {
  /// Other forms of async/await.
  public static let variants: [any Contender] = {
    var variants: [any Contender] = [
      UnsafeContinuationUploads(), NativeAsyncUploads(), LooseTaskUploads(), AsyncStreamUploads(),
      ActorUploads(), AsyncLetUploads(),
    ]
    if #available(macOS 26, *) { variants.append(ImmediateUploads()) }
    return variants
  }()
}

extension Contender {
  func start(
    priority: TaskPriority? = nil, _ completion: @escaping Completion,
    _ body: @escaping @Sendable () async throws -> Publication
  ) -> any Cancellable {
    TaskHandle(
      Task(priority: priority) {
        do { completion(.success(try await body())) } catch { completion(.failure(error)) }
      })
  }
}

final class TaskHandle: Cancellable {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }

  func cancel() { task.cancel() }
}

extension UploadService {
  func upload(_ media: Media) async throws -> Receipt {
    try await answer { upload(media, completion: $0) }
  }

  func perform(_ request: Request) async throws -> Receipt {
    try await answer { perform(request, completion: $0) }
  }

  func createPost(_ post: Post, receipts: [Receipt]) async throws -> Publication {
    try await answer { createPost(post, receipts: receipts, completion: $0) }
  }
}

/// Starts a request and awaits its answer. A cancelled task cancels the request, and still awaits the answer.
func answer<Value: Sendable>(
  to start: (@escaping Callback<Value>) -> any Cancellable
) async throws -> Value {
  try Task.checkCancellation()
  let handle = Mutex<(any Cancellable)?>(nil)
  do {
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let request = start { continuation.resume(with: $0) }
        handle.withLock { $0 = request }
        // The cancellation handler may have run before the handle existed.
        if Task.isCancelled { request.cancel() }
      }
    } onCancel: {
      handle.withLock { $0 }?.cancel()
    }
  } catch {
    // The cancellation came before the failure.
    throw Task.isCancelled ? CancellationError() : error
  }
}
