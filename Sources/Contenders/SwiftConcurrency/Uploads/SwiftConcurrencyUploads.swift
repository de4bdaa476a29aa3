import Synchronization
import UploadScenario

/// Swift's own concurrency: a throwing task group around continuations that can be cancelled.
public struct SwiftConcurrencyUploads: Contender {
  public internal(set) var name = "swift-concurrency"
  public internal(set) var summary = "async/await: a throwing task group and checked continuations"
  /// `Task.sleep` that is cancelled leaves its job with the system until its time.
  public let keepsCancelledTimers = true
  /// Where tasks run; nil: on the global executor, as they do unless somebody asks for another.
  var executor: (any TaskExecutor)?
  /// Where their work for the processor is done; nil: where they run.
  var computingExecutor: (any TaskExecutor)?
  /// What delays and deadlines go by.
  let clock: any Clock<Duration>

  public init() { self.init(clock: .continuous) }

  /// One whose delays and deadlines go by this clock.
  public init(clock: some Clock<Duration>) { self.clock = clock }
}

extension SwiftConcurrencyUploads {
  /// Other spellings of async/await that are as common.
  public static let variants: [any Contender] = {
    var variants: [any Contender] = [
      BoundedTaskUploads(), DiscardingTaskUploads(), LooseTaskUploads(), UnsafeContinuationUploads(),
      NativeAsyncUploads(), AsyncLetUploads(), AsyncStreamUploads(), ChannelUploads(), ActorUploads(),
      GlobalActorUploads(), CoroutinePoolExecutorUploads(), NonsendingUploads(),
    ]
    if #available(macOS 26, *) { variants.append(ImmediateUploads()) }
    return variants
  }()
}

extension Contender {
  /// Runs `body` in a task that the handle cancels, and its child tasks, on the executor; nil: the global one.
  func start(
    on executor: (any TaskExecutor)? = nil, priority: TaskPriority? = nil,
    _ completion: @escaping Completion, _ body: @escaping @Sendable () async throws -> Publication
  ) -> any Cancellable {
    // Without a preference, even for none: a task that has one looks it up, under its lock, whenever it is enqueued.
    guard let executor else {
      return TaskHandle(task: Task(priority: priority) { completion(await result(of: body)) })
    }
    return TaskHandle(
      task: Task(executorPreference: executor, priority: priority) { completion(await result(of: body)) },
      executor: executor)
  }
}

func result<Value>(of body: () async throws -> Value) async -> Result<Value, any Error> {
  do { return .success(try await body()) } catch { return .failure(error) }
}

final class TaskHandle: Cancellable {
  private let task: Task<Void, Never>
  private let executor: (any TaskExecutor)?

  init(task: Task<Void, Never>, executor: (any TaskExecutor)? = nil) {
    self.task = task
    self.executor = executor
  }

  func cancel() {
    guard let executor = executor as? any HoldingExecutor else { return task.cancel() }
    executor.holding { task.cancel() }
  }
}

/// An executor that may run a job before `enqueue` returns.
///
/// A task must not go on inside of its own `cancel`, which holds the task's lock and walks what the task would remove.
protocol HoldingExecutor: TaskExecutor {
  /// Runs `body`, and then the jobs that it enqueued on this thread.
  func holding(_ body: () -> Void)
}

extension UploadService {
  func upload(_ media: Media) async throws -> Receipt {
    try await cancellable { upload(media, completion: $0) }
  }

  func upload(_ chunk: Chunk) async throws -> Receipt {
    try await cancellable { upload(chunk, completion: $0) }
  }

  func upload(_ media: Media, to mirror: Mirror) async throws -> Receipt {
    try await cancellable { upload(media, to: mirror, completion: $0) }
  }

  func issueURL(for prepared: PreparedMedia) async throws -> UploadURL {
    try await cancellable { issueURL(for: prepared, completion: $0) }
  }

  func upload(_ prepared: PreparedMedia, to url: UploadURL) async throws -> Receipt {
    try await cancellable { upload(prepared, to: url, completion: $0) }
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
///
/// It runs on the caller's actor, if there is one.
nonisolated(nonsending) func cancellable<Value: Sendable>(
  _ start: (@escaping Callback<Value>) -> any Cancellable
) async throws -> Value {
  let request = CancellableRequest()
  return try await withTaskCancellationHandler {
    try Task.checkCancellation()
    do {
      // Checked: a service that never answers is reported. The documentation calls the unsafe ones the mechanism of low
      // overhead, for code that has been tested with checks: `swift-concurrency/unsafe-continuation`.
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

/// A handle that may be cancelled before it is there: what a callback-style service costs async code, beside the task itself.
final class CancellableRequest: Sendable {
  private enum State {
    case waiting
    case started(any Cancellable)
    case cancelled
  }

  private let state = Mutex(State.waiting)
  private let isAnswered = Atomic(false)

  /// Once: a continuation that is resumed twice ends the process.
  func isAnsweredFirst() -> Bool { !isAnswered.exchange(true, ordering: .relaxed) }

  func started(_ handle: any Cancellable) {
    let isCancelled = state.withLock { state in
      if case .cancelled = state { return true }
      state = .started(handle)
      return false
    }
    if isCancelled { handle.cancel() }
  }

  func cancel() {
    let handle = state.withLock { state -> (any Cancellable)? in
      defer { state = .cancelled }
      if case .started(let handle) = state { return handle }
      return nil
    }
    handle?.cancel()
  }
}
