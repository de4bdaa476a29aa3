import RawThreads
import Synchronization
import UploadScenario

/// A service that answers at once, on a thread of its own: what is left is the cost of coordination.
///
/// It adds one object (the request, which is also the handle), two atomic operations and the ledger's to an upload,
/// and wakes its thread only when that sleeps. It never spins. Once the last reference is gone its thread answers
/// what it was asked and ends.
public final class InstantService: UploadService {
  private let inbox = Inbox<InstantRequest>()
  private let ledger: Ledger
  private let answers: MadeUpAnswers
  private let local: LocalWork

  public init(ledger: Ledger, faults: Faults, preparePasses: Int = 1, chunkBytes: Int = 64 * 1024) {
    self.ledger = ledger
    local = LocalWork(ledger: ledger, preparePasses: preparePasses, chunkBytes: chunkBytes)
    let answers = MadeUpAnswers(ledger: ledger, faults: faults)
    self.answers = answers
    _ = RawThread(name: "instant-service") { [inbox] in Self.serve(inbox, answers) }
  }

  deinit { inbox.close() }

  public func perform(
    _ request: Request, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) -> any Cancellable {
    let attempt = ledger.requestStarted(request)
    return accept(.request(request, attempt: attempt, completion))
  }

  public func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    accept(.post(post, receipts, completion))
  }

  public func uploadBlocking(_ media: Media) throws -> Receipt {
    try answers.answerBlocking(.upload(media), attempt: ledger.requestStarted(.upload(media)))
  }

  public func prepare(_ media: Media) throws -> PreparedMedia { try local.prepare(media) }

  public func chunks(of media: Media) throws -> ChunkReader { try local.chunks(of: media) }

  private func accept(_ job: Job) -> any Cancellable {
    let request = InstantRequest(job)
    inbox.push(request)
    return request
  }

  private static func serve(_ inbox: Inbox<InstantRequest>, _ answers: MadeUpAnswers) {
    while true {
      let isLast = inbox.isClosed
      let wasBusy = inbox.drain { request in
        if let job = request.job.take() { answers.answer(job, isCancelled: request.isCancelled) }
      }
      if wasBusy { continue }
      if isLast { return }
      inbox.wait(untilNanoseconds: nil)
    }
  }
}

private final class InstantRequest: InboxItem, Cancellable, @unchecked Sendable {
  // Invariant: after init only the service's thread touches it, which the inbox has handed the request to.
  var job: Job?
  private let cancelled = Atomic<Bool>(false)

  init(_ job: Job) { self.job = job }

  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  func cancel() { cancelled.store(true, ordering: .relaxed) }
}
