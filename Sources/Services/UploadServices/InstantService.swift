import RawThreads
import Synchronization
import UploadScenario

/// A service that answers at once, on a thread of its own: what is left is the cost of coordination.
///
/// It adds one object (the request, which is also the handle), two atomic operations and the ledger's to an upload,
/// and wakes its thread only when that sleeps. It never spins. Once the last reference is gone, and that to all who share
/// its thread, the thread answers what it was asked and ends.
public final class InstantService: UploadService {
  private let inbox: Inbox<InstantRequest>
  private let ledger: Ledger
  private let answers: MadeUpAnswers
  private let local: LocalWork
  private let lease: ThreadLease

  public convenience init(
    ledger: Ledger, faults: Faults, preparePasses: Int = 1, chunkBytes: Int = 64 * 1024
  ) {
    let answers = MadeUpAnswers(ledger: ledger, faults: faults)
    self.init(
      answers, LocalWork(ledger: ledger, preparePasses: preparePasses, chunkBytes: chunkBytes),
      on: Self.startThread(for: [answers]))
  }

  /// A service for each ledger, all answering on one thread.
  public static func sharing(
    ledgers: [Ledger], faults: Faults, preparePasses: Int = 1, chunkBytes: Int = 64 * 1024
  ) -> [InstantService] {
    let answers = ledgers.map { MadeUpAnswers(ledger: $0, faults: faults) }
    let thread = startThread(for: answers)
    return answers.map {
      InstantService(
        $0, LocalWork(ledger: $0.ledger, preparePasses: preparePasses, chunkBytes: chunkBytes), on: thread)
    }
  }

  private init(
    _ answers: MadeUpAnswers, _ local: LocalWork,
    on thread: (inbox: Inbox<InstantRequest>, lease: ThreadLease)
  ) {
    self.answers = answers
    self.local = local
    ledger = answers.ledger
    (inbox, lease) = thread
  }

  private static func startThread(for answers: [MadeUpAnswers]) -> (Inbox<InstantRequest>, ThreadLease) {
    let inbox = Inbox<InstantRequest>()
    _ = RawThread(name: "instant-service") { withExtendedLifetime(answers) { serve(inbox) } }
    return (inbox, ThreadLease { inbox.close() })
  }

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
    ledger.postRequested()
    return accept(.post(post, receipts, completion))
  }

  public func uploadBlocking(_ media: Media) throws -> Receipt {
    try answers.answerBlocking(.upload(media), attempt: ledger.requestStarted(.upload(media)))
  }

  public func prepare(_ media: Media) throws -> PreparedMedia { try local.prepare(media) }

  public func chunks(of media: Media) throws -> ChunkReader { try local.chunks(of: media) }

  private func accept(_ job: Job) -> any Cancellable {
    let request = InstantRequest(job, .passUnretained(answers))
    inbox.push(request)
    return request
  }

  private static func serve(_ inbox: Inbox<InstantRequest>) {
    while true {
      let isLast = inbox.isClosed
      let wasBusy = inbox.drain { request in
        guard let job = request.job.take() else { return }
        request.answers._withUnsafeGuaranteedRef { $0.answer(job, isCancelled: request.isCancelled) }
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
  // Invariant: the thread that takes requests out of the inbox keeps every service's answers until it ends.
  let answers: Unmanaged<MadeUpAnswers>
  private let cancelled = Atomic<Bool>(false)

  init(_ job: Job, _ answers: Unmanaged<MadeUpAnswers>) {
    self.job = job
    self.answers = answers
  }

  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  func cancel() { cancelled.store(true, ordering: .relaxed) }
}
