import RawThreads
import Synchronization
import UploadScenario

/// A service that answers immediately on its own thread, so that only the cost of coordination is measured.
///
/// When all services that share the thread are released, it answers the remaining requests and ends.
final class InstantService: JobService {
  let ledger: Ledger
  let account: Account
  private let inbox: Inbox<InstantRequest>
  private let lease: ThreadLease

  /// Creates a service for each `Account`. All answer on one thread.
  static func sharing(_ accounts: [Account]) -> [InstantService] {
    let inbox = Inbox<InstantRequest>()
    _ = RawThread(name: "instant-service") {
      ServiceClass.enter()
      withExtendedLifetime(accounts) { serve(inbox) }
    }
    let lease = ThreadLease { inbox.close() }
    return accounts.map { InstantService($0, inbox, lease) }
  }

  private init(_ account: Account, _ inbox: Inbox<InstantRequest>, _ lease: ThreadLease) {
    self.account = account
    ledger = account.ledger
    self.inbox = inbox
    self.lease = lease
  }

  func accept(_ job: Job) -> any Cancellable {
    let request = InstantRequest(job, .passUnretained(account))
    inbox.push(request)
    return request
  }

  private static func serve(_ inbox: Inbox<InstantRequest>) {
    while true {
      let isLast = inbox.isClosed
      let wasBusy = inbox.drain { request in
        guard let job = request.job.take() else { return }
        request.account._withUnsafeGuaranteedRef { $0.answer(job, isCancelled: request.isCancelled) }
      }
      if wasBusy { continue }
      if isLast { return }
      inbox.wait(untilNanoseconds: nil)
    }
  }
}

/// Answers in the caller's task, without the service's thread.
extension InstantService: AsyncUploadService {
  func perform(_ request: Request) async throws -> Receipt {
    let attempt = ledger.requestStarted(request)
    return try account.answer(request, attempt: attempt, isCancelled: Task.isCancelled).get()
  }

  func createPost(_ post: Post, receipts: [Receipt]) async throws -> Publication {
    ledger.postRequested()
    try Task.checkCancellation()
    return account.create(post, receipts)
  }
}

private final class InstantRequest: InboxItem, Cancellable, @unchecked Sendable {
  // Invariant: after init, only the service's thread touches `job`, after it has taken the request from the inbox.
  var job: Job?
  // Invariant: the thread that takes requests from the inbox retains all accounts until it ends.
  let account: Unmanaged<Account>
  private let cancelled = Atomic<Bool>(false)

  init(_ job: Job, _ account: Unmanaged<Account>) {
    self.job = job
    self.account = account
  }

  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  func cancel() { cancelled.store(true, ordering: .relaxed) }
}
