import RawThreads
import UploadScenario

/// A service that holds each request until a test case answers it.
package final class HeldService: UploadService {
  private let backend: Backend

  init(_ backend: Backend) { self.backend = backend }

  deinit { backend.change { $0.isServiceGone = true } }

  package func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable {
    backend.accept(.request(request, completion))
  }

  package func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping Completion
  ) -> any Cancellable {
    backend.accept(.post(post, receipts, completion))
  }

  package func uploadBlocking(_ media: Media) throws -> Receipt {
    let answer = PendingAnswer<Result<Receipt, any Error>>()
    _ = backend.accept(.request(.upload(media)) { answer.give($0) }, isBlocking: true)
    return try answer.wait().get()
  }

  package func prepare(_ media: Media) throws -> PreparedMedia { try backend.prepare(media) }

  package func chunks(of media: Media) throws -> ChunkReader {
    backend.opened()
    return try ChunkReader(media, chunkBytes: backend.scenario.chunkBytes, ledger: HeldReader(backend))
  }
}

/// A request that a `HeldService` has received.
package final class HeldCall: Cancellable, @unchecked Sendable {
  enum Kind {
    case request(Request, Callback<Receipt>)
    case post(Post, [Receipt], Completion)
  }

  // Invariant: the five variables below are accessed only while the backend's lock is held.
  /// The request, or `nil` after its answer.
  var kind: Kind?
  /// The number of the request within the job, from 1.
  package internal(set) var number = 0
  /// The number of this request among the attempts at the same upload, from 1.
  package internal(set) var attempt = 1
  /// The index in `Backend.State.calls`, or `nil` after the answer.
  var place: Int?
  package internal(set) var isCancelled = false
  /// The request's index in the service's record (`Ledger`). `nil` for the request to create the post.
  package let ledgerIndex: Int?
  let isBlocking: Bool
  private let backend: Backend

  init(_ kind: Kind, isBlocking: Bool, on backend: Backend) {
    (self.kind, self.isBlocking, self.backend) = (kind, isBlocking, backend)
    ledgerIndex = if case .request(let request, _) = kind { request.ledgerIndex } else { nil }
    backend.giveOut()
  }

  deinit { backend.takeBack() }

  package func cancel() { backend.cancel(self) }
}

/// Calls `isGone` when it is released. A closure captures it to show when the closure is released.
final class Token: Sendable {
  private let isGone: @Sendable () -> Void

  init(isGone: @escaping @Sendable () -> Void) { self.isGone = isGone }

  deinit { isGone() }
}
