import Coroutines
import Dispatch
import UploadScenario

/// Stackful coroutines: code that looks serial, and suspends where it waits.
public struct CoroutineUploads: Contender {
  public let name = "coroutines"
  public let summary = "a stackful coroutine per upload in a scope, results in order"

  /// Where coroutines run that only wait for answers; nil: where those come.
  let scheduler: (any CoroutineScheduler)?
  /// Where threads are blocked.
  let blockingQueue: any CoroutineScheduler
  let timer: CoTimer

  public init() {
    scheduler = nil
    // Of a class of its own: what it blocks are not the threads that timers and everybody else use.
    blockingQueue = DispatchQueue.global(qos: .utility)
    timer = .system
  }

  /// One whose coroutines all run on this scheduler, blocking calls included, and whose delays all go by this timer: on
  /// one thread, and a clock that stands still, it does the same again for the same answers.
  public init(scheduler: any CoroutineScheduler, timer: CoTimer) {
    self.scheduler = scheduler
    blockingQueue = scheduler
    self.timer = timer
  }

  /// Where those run that wait for time, too. Its threads start when it is first asked for: a process without such
  /// coroutines has none of them.
  var pool: any CoroutineScheduler { scheduler ?? CoroutinePool.shared }

  /// All share a serial queue: whoever computes or reads leaves it meanwhile.
  var areOnQueue: Bool { false }

  /// Where those compute that have a post of this priority: the pool, or a lane of it, to let others go first, or to go
  /// before them.
  func lane(for priority: PostPriority) -> any CoroutineScheduler {
    if let scheduler { return scheduler }
    return switch priority {
    case .low: CoroutinePool.shared.background
    case .normal: CoroutinePool.shared
    case .high: CoroutinePool.shared.urgent
    }
  }
}

extension CoroutineUploads {
  /// Other spellings of coroutines that are as common.
  public static let variants: [any Contender] = [
    FutureCoroutineUploads(), ChannelCoroutineUploads(),
  ]
}

extension Contender {
  /// Starts the job's coroutine, which the handle cancels.
  @inline(__always) func start(
    on scheduler: (any CoroutineScheduler)? = nil, _ completion: @escaping Completion,
    _ body: @escaping @Sendable () throws -> Publication
  ) -> any Cancellable {
    let job = Coroutine.start(on: scheduler, body)
    // Told by the future, because a coroutine that is cancelled before its scheduler gets to it never runs.
    job.whenDone(completion)
    return job
  }
}

extension UploadService {
  func upload(_ media: Media) throws -> Receipt {
    try answer { waiting in upload(media) { waiting.resume(with: $0) } }
  }
  func upload(_ chunk: Chunk) throws -> Receipt {
    try answer { waiting in upload(chunk) { waiting.resume(with: $0) } }
  }

  func upload(_ media: Media, to mirror: Mirror) throws -> Receipt {
    try answer { waiting in upload(media, to: mirror) { waiting.resume(with: $0) } }
  }

  func issueURL(for prepared: PreparedMedia) throws -> UploadURL {
    try answer { waiting in issueURL(for: prepared) { waiting.resume(with: $0) } }
  }

  func upload(_ prepared: PreparedMedia, to url: UploadURL) throws -> Receipt {
    try answer { waiting in upload(prepared, to: url) { waiting.resume(with: $0) } }
  }

  func author(of post: Post) throws -> Author {
    try answer { waiting in author(of: post) { waiting.resume(with: $0) } }
  }
  func place(of post: Post) throws -> Place {
    try answer { waiting in place(of: post) { waiting.resume(with: $0) } }
  }
  func audience(of post: Post) throws -> Audience {
    try answer { waiting in audience(of: post) { waiting.resume(with: $0) } }
  }

  func createPost(_ post: Post, receipts: [Receipt]) throws -> Publication {
    try answer { waiting in createPost(post, receipts: receipts) { waiting.resume(with: $0) } }
  }

  func createPost(_ post: Post, details: PostDetails) throws -> Publication {
    try answer { waiting in createPost(post, details: details) { waiting.resume(with: $0) } }
  }
}

/// The callback as a call that suspends.
private func answer<Value: Sendable>(
  _ start: (CoContinuation<Value>) -> any Cancellable
) throws -> Value {
  do {
    return try Coroutine.withContinuation(cancel: { $0.cancel() }, start)
  } catch {
    // Whatever a request fails with that was cancelled, it was the cancellation that came first.
    try Coroutine.checkCancellation()
    throw error
  }
}

extension CoFuture: Cancellable {}
