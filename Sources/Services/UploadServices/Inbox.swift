import RawThreads
import Synchronization
import UploadScenario

/// An item of an inbox, with the link to the one before it.
class InboxItem: @unchecked Sendable {
  // Invariant: written by the one thread that pushes the item, before the exchange that publishes it; read by the one thread
  // that takes it, after the exchange that acquires it. An item is pushed once.
  fileprivate var next: Unmanaged<InboxItem>?
}

/// A queue from many threads to one, without a lock, an allocation or a needless wake-up.
///
/// Senders push onto an intrusive stack (Treiber, 1986); the receiver takes the whole stack and reverses it, so there is no ABA
/// problem. It publishes how long it sleeps before it looks a last time; a sender pushes before it reads that. Both are
/// sequentially consistent, so one of them sees the other (Dekker) and no wake-up is lost.
final class Inbox<Item: InboxItem>: Sendable {
  private let head = Atomic<Unmanaged<InboxItem>?>(nil)
  /// When the receiver wakes by itself; 0: it is awake.
  private let sleepsUntil = Atomic<UInt64>(0)
  private let closed = Atomic<Bool>(false)
  private let parker = Parker()

  deinit { drain { _ in } }

  /// Hands over an item. The receiver is woken if it would sleep past `neededByNanoseconds`; 0 means now.
  func push(_ item: Item, neededByNanoseconds: UInt64 = 0) {
    let link = Unmanaged<InboxItem>.passRetained(item)
    var first = head.load(ordering: .relaxed)
    while true {
      item.next = first
      let attempt = head.weakCompareExchange(
        expected: first, desired: link, successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
      if attempt.exchanged { break }
      first = attempt.original
    }
    wake(ifAsleepPast: neededByNanoseconds)
  }

  /// Promises that nothing more is pushed that the receiver must wait for.
  func close() {
    closed.store(true, ordering: .sequentiallyConsistent)
    wake(ifAsleepPast: 0)
  }

  // MARK: For the receiver's thread alone

  /// Whether the receiver need not wait for more pushes; read it before `drain`.
  var isClosed: Bool { closed.load(ordering: .sequentiallyConsistent) }

  /// Takes out all items, oldest first; false if there was none.
  @discardableResult func drain(_ body: (Item) -> Void) -> Bool {
    // A load first: an exchange of nil for nil would still take the cache line from the senders.
    guard head.load(ordering: .relaxed) != nil else { return false }
    var newest = head.exchange(nil, ordering: .acquiring)
    var oldest: Unmanaged<InboxItem>?
    while let link = newest {
      let item = link._withUnsafeGuaranteedRef { $0 }
      newest = item.next
      item.next = oldest
      oldest = link
    }
    while let link = oldest {
      let item = link.takeRetainedValue()
      oldest = item.next
      body(unsafeDowncast(item, to: Item.self))
    }
    return true
  }

  /// Sleeps until a push that is needed earlier, or until the deadline (nil: no limit), or spuriously.
  func wait(untilNanoseconds deadlineNanoseconds: UInt64?) {
    sleepsUntil.store(deadlineNanoseconds ?? .max, ordering: .sequentiallyConsistent)
    if head.load(ordering: .sequentiallyConsistent) == nil, !isClosed {
      parker.park(untilNanoseconds: deadlineNanoseconds)
    }
    sleepsUntil.store(0, ordering: .relaxed)
  }

  private func wake(ifAsleepPast neededByNanoseconds: UInt64) {
    let until = sleepsUntil.load(ordering: .sequentiallyConsistent)
    guard neededByNanoseconds < until else { return }
    // The one sender whose exchange succeeds wakes the receiver.
    if sleepsUntil.compareExchange(expected: until, desired: 0, ordering: .sequentiallyConsistent).exchanged {
      parker.unpark()
    }
  }
}

/// A request to a service, and its completion.
enum Job: Sendable {
  /// `attempt` counts the requests for it, from 1.
  case request(Request, attempt: Int, Callback<Receipt>)
  case post(Post, [Receipt], Completion)
}

/// A service whose own threads answer, job by job.
protocol JobService: UploadService {
  /// The account's: stored in the service, too, because each request begins with it.
  var ledger: Ledger { get }
  var account: Account { get }

  /// Hands a job to the service's threads; the ledger has recorded it.
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

/// Shared by the services on the same threads, which may end when the last one releases it.
final class ThreadLease: Sendable {
  private let end: @Sendable () -> Void

  /// - Parameter end: lets the threads end; called once.
  init(end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}
