import Coroutines
import UploadScenario

/// Stackful coroutines: the code looks serial, and a coroutine suspends while it waits.
public struct CoroutineUploads: Contender {
  public let name = "coroutines"
  public let summary = "a stackful coroutine per upload in a group, results in order"

  /// The scheduler for coroutines that only wait for answers. `nil` means the threads that deliver the answers.
  let scheduler: (any CoroutineScheduler)?
  let timer: CoTimer

  public init() { (scheduler, timer) = (nil, .system) }

  /// Creates a contender that runs all coroutines and blocking calls on one scheduler, and all delays with one timer. With one
  /// thread and a virtual clock, the same answers lead to the same schedule.
  public init(scheduler: any CoroutineScheduler, timer: CoTimer) {
    (self.scheduler, self.timer) = (scheduler, timer)
  }

  /// The scheduler for coroutines that compute, read or wait for a time. Its threads start on first use.
  var pool: any CoroutineScheduler { scheduler ?? CoroutinePool.shared }
}

extension CoroutineUploads {
  /// The variant in which workers share a channel, to compare with a coroutine for each upload.
  public static let variants: [any Contender] = [ChannelCoroutineUploads()]
}

extension Contender {
  @inline(__always) func start(
    on scheduler: (any CoroutineScheduler)? = nil, _ completion: @escaping Completion,
    _ body: @escaping @Sendable () throws -> Publication
  ) -> any Cancellable {
    let job = Coroutine.start(on: scheduler, body)
    // The completion is registered outside the coroutine, because a coroutine that is cancelled early never begins.
    job.whenComplete(completion)
    return job
  }
}

extension UploadService {
  func perform(_ request: Request) throws -> Receipt {
    try answer { waiting in perform(request) { waiting.resume(with: $0) } }
  }

  func issueURL(for prepared: PreparedMedia) throws -> UploadURL {
    try answer { waiting in issueURL(for: prepared) { waiting.resume(with: $0) } }
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

/// Converts a call with a completion to a call that suspends. Cancelling the coroutine cancels the request.
private func answer<Value: Sendable>(_ start: (CoContinuation<Value>) -> any Cancellable) throws -> Value {
  do {
    return try Coroutine.withContinuation(cancel: { $0.cancel() }, start)
  } catch {
    // A cancelled job ends with `CancellationError`, even if the cancelled request fails with another error.
    try Coroutine.checkCancellation()
    throw error
  }
}

extension CoFuture: Cancellable {}
