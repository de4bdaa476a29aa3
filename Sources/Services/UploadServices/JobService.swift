import UploadScenario

/// What was asked of a service, and who is told the answer.
enum Job: Sendable {
  /// `attempt` counts how often it has been asked for, from 1.
  case request(Request, attempt: Int, Callback<Receipt>)
  case post(Post, [Receipt], Completion)
}

/// A service whose own threads answer what it is asked, job by job.
protocol JobService: UploadService {
  /// The account's: stored in the service too, since each request begins with it.
  var ledger: Ledger { get }
  var account: Account { get }

  /// Hands a job to the service's threads; the ledger knows of it.
  func accept(_ job: Job) -> any Cancellable
}

// Specialised for each service: sharing this costs a request nothing.
extension JobService {
  func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable {
    let attempt = ledger.requestStarted(request)
    return accept(.request(request, attempt: attempt, completion))
  }

  func createPost(_ post: Post, receipts: [Receipt], completion: @escaping Completion) -> any Cancellable {
    ledger.postRequested()
    return accept(.post(post, receipts, completion))
  }

  /// Answers at once.
  func uploadBlocking(_ media: Media) throws -> Receipt {
    try account.answerBlocking(.upload(media), attempt: ledger.requestStarted(.upload(media)))
  }

  func prepare(_ media: Media) throws -> PreparedMedia { try account.prepare(media) }

  func chunks(of media: Media) throws -> ChunkReader { try account.chunks(of: media) }
}

/// Shared by the services that use the same threads: when the last one releases it, the threads may end.
final class ThreadLease: Sendable {
  private let end: @Sendable () -> Void

  /// - Parameter end: lets the threads end; called once.
  init(end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}
