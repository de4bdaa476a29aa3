import RawThreads
import Synchronization
import UploadScenario

/// One call of the service that waits for its answer, and the handle that cancels it.
final class HeldCall: Cancellable, @unchecked Sendable {
  enum Kind {
    case request(Request, @Sendable (Result<Receipt, any Error>) -> Void)
    case post(Post, [Receipt], @Sendable (Result<Publication, any Error>) -> Void)
    case blocking(Media, BlockedThread)
  }

  // Invariant: both are touched only with the stage's lock held.
  var kind: Kind?
  var isCancelled = false
  /// nil: it is the post.
  let ledgerIndex: Int?
  let isBlocking: Bool
  private let stage: Stage

  init(_ kind: Kind, on stage: Stage) {
    self.kind = kind
    self.stage = stage
    switch kind {
    case .request(let request, _): (ledgerIndex, isBlocking) = (request.ledgerIndex, false)
    case .post: (ledgerIndex, isBlocking) = (nil, false)
    case .blocking(let media, _): (ledgerIndex, isBlocking) = (media.index, true)
    }
  }

  func cancel() { stage.cancel(self) }
}

/// A thread that waits inside `uploadBlocking`.
final class BlockedThread: Sendable {
  private let parker = Parker()
  private let result = Mutex<Result<Receipt, any Error>?>(nil)

  /// The first answer counts: a thread returns once.
  func answer(_ result: Result<Receipt, any Error>) {
    self.result.withLock { $0 = $0 ?? result }
    parker.unpark()
  }

  func wait() throws -> Receipt {
    parker.park()
    return try result.withLock { $0! }.get()
  }
}
