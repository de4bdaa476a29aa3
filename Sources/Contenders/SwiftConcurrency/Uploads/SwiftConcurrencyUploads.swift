import Synchronization
import UploadScenario

/// Swift Concurrency: throwing task groups around checked continuations.
public struct SwiftConcurrencyUploads: Contender {
  public let name = "swift-concurrency"
  public let summary = "async/await: a throwing task group and checked continuations"
  /// True, because the system retains the job of a cancelled `Task.sleep` until the sleep would end.
  public let keepsCancelledTimers = true
  let clock: any Clock<Duration>

  public init(clock: any Clock<Duration> = .continuous) { self.clock = clock }
}

extension SwiftConcurrencyUploads {
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

/// Starts a request and awaits its answer. Cancelling the task cancels the request, whose answer is still awaited.
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
