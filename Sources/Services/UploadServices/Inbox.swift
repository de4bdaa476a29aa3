import RawThreads
import Synchronization
import UploadScenario

/// An item of an inbox, with a link to the item pushed before it.
class InboxItem: @unchecked Sendable {
  // Invariant: an item is pushed once. Its sender writes `next` before the exchange that publishes the item, and the receiver
  // reads `next` after the exchange that acquires it.
  fileprivate var next: Unmanaged<InboxItem>?
}

/// A queue from many threads to one, without a lock, an allocation or a needless wake-up.
///
/// Senders push onto an intrusive stack (Treiber, 1986). The receiver takes the whole stack and reverses it, so there is no ABA
/// problem. Before it sleeps, the receiver writes `sleepsUntil`, then reads the stack; a sender pushes, then reads `sleepsUntil`.
/// These accesses are sequentially consistent, so one of the two sees the other's write (Dekker).
final class Inbox<Item: InboxItem>: Sendable {
  private let head = Atomic<Unmanaged<InboxItem>?>(nil)
  /// The time at which the receiver wakes by itself. 0 means that it is awake.
  private let sleepsUntil = Atomic<UInt64>(0)
  private let closed = Atomic<Bool>(false)
  private let parker = Parker()

  deinit { drain { _ in } }

  /// Pushes an item. Wakes the receiver if it would sleep past `neededByNanoseconds`; 0 means now.
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

  /// Closes the inbox and wakes the receiver, which need not wait for more items.
  func close() {
    closed.store(true, ordering: .sequentiallyConsistent)
    wake(ifAsleepPast: 0)
  }

  // MARK: Only for the receiver's thread

  /// Whether `close` was called. The receiver must read it before `drain`.
  var isClosed: Bool { closed.load(ordering: .sequentiallyConsistent) }

  /// Takes all items, oldest first. Returns false if there was none.
  @discardableResult func drain(_ body: (Item) -> Void) -> Bool {
    // A load comes first, because an exchange on an empty stack would take the cache line from the senders.
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

  /// Sleeps until the deadline (`nil` means none) or until a sender wakes this thread. Spurious wake-ups are possible.
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
    // Only the sender whose exchange succeeds wakes the receiver.
    if sleepsUntil.compareExchange(expected: until, desired: 0, ordering: .sequentiallyConsistent).exchanged {
      parker.unpark()
    }
  }
}

/// A request to a service, including its completion.
enum Job: Sendable {
  /// A request that comes before the creation of the post, such as an upload. `attempt` counts how often it was made, from 1.
  case request(Request, attempt: Int, Callback<Receipt>)
  case post(Post, [Receipt], Completion)
}

/// A service whose own threads answer jobs.
protocol JobService: UploadService {
  /// The record of requests, which also belongs to `account`. It is stored here, too, because each request needs it first.
  var ledger: Ledger { get }
  var account: Account { get }

  /// Passes a job to the service's threads. The ledger has already recorded its request.
  func accept(_ job: Job) -> any Cancellable
}

// The compiler specialises this extension for each service, so that sharing the code costs no time.
extension JobService {
  func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable {
    let attempt = ledger.requestStarted(request)
    return accept(.request(request, attempt: attempt, completion))
  }

  func createPost(_ post: Post, receipts: [Receipt], completion: @escaping Completion) -> any Cancellable {
    ledger.postRequested()
    return accept(.post(post, receipts, completion))
  }

  /// Answers immediately, on the calling thread.
  func uploadBlocking(_ media: Media) throws -> Receipt {
    let attempt = ledger.requestStarted(.upload(media))
    return try account.answer(.upload(media), attempt: attempt, isCancelled: false).get()
  }

  func prepare(_ media: Media) throws -> PreparedMedia { try account.prepare(media) }

  func chunks(of media: Media) throws -> ChunkReader { try account.chunks(of: media) }
}

/// An object that services with the same threads share. Its release ends the threads.
final class ThreadLease: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}
