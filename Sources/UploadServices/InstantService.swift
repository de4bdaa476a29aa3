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

  public init(ledger: Ledger, faults: Faults) {
    self.ledger = ledger
    let answers = MadeUpAnswers(ledger: ledger, faults: faults)
    _ = RawThread(name: "instant-service") { [inbox] in Self.serve(inbox, answers) }
  }

  deinit { inbox.close() }

  public func upload(
    _ media: Media, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) -> any Cancellable {
    ledger.uploadStarted(media.index)
    return accept(.upload(media, completion))
  }

  public func lookUp(
    _ detail: PostDetail, of post: Post, completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) -> any Cancellable {
    ledger.uploadStarted(detail.rawValue)
    return accept(.lookup(detail, completion))
  }

  public func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    accept(.post(post, receipts, completion))
  }

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
