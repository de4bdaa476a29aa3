import RawThreads
import UploadScenario

/// A service that does nothing but answer, on one thread of its own: each upload when its policy says, a cancelled one at once.
///
/// Once the last reference to it and to all who share the thread is gone, the thread answers what it was asked and ends.
final class SimulatedService: JobService {
  /// When uploads are answered.
  enum Policy: Sendable {
    /// Each after the time that the trace gives it, counted from when it is asked for, a blocking call, too. The thread sleeps until
    /// the next deadline, and is woken early only for an earlier one or a cancellation.
    case deadlines(LatencyTrace)
    /// None until `held` of a post's uploads are in flight; then those, without a wait, by their places (from 1), and later ones as
    /// they come: they end in this very order, whatever the contender's pace. A blocking call is answered at once.
    case barrier(places: [UInt64], held: Int)

    /// - Parameter seed: what a shuffled order is drawn from.
    static func barrier(uploads: Int, held: Int, order: CompletionOrder, seed: UInt64) -> Policy {
      var places = Array(1..<UInt64(uploads) + 1)
      var generator = SeededGenerator(seed: seed)
      switch order {
      case .forward: break
      case .reverse: places.reverse()
      case .shuffled: places.shuffle(using: &generator)
      }
      return .barrier(places: places, held: min(held, uploads))
    }
  }

  let ledger: Ledger
  let account: Account
  private let thread: SimulatedServiceThread
  private let policy: Policy
  private let lease: ThreadLease
  /// When a request is answered that is not, unless somebody cancels it: in ten years.
  private static let silenceNanoseconds: UInt64 = 315_360_000_000_000_000

  /// A service for each account, all answering on one thread.
  static func sharing(_ accounts: [Account], _ policy: Policy) -> [SimulatedService] {
    let held: Int? = if case .barrier(_, let held) = policy { held } else { nil }
    let thread = SimulatedServiceThread(held: held)
    let lease = thread.start(name: "simulated-service", for: accounts)
    return accounts.map { SimulatedService($0, thread, policy, lease) }
  }

  private init(_ account: Account, _ thread: SimulatedServiceThread, _ policy: Policy, _ lease: ThreadLease) {
    self.account = account
    ledger = account.ledger
    self.thread = thread
    self.policy = policy
    self.lease = lease
  }

  func uploadBlocking(_ media: Media) throws -> Receipt {
    let attempt = ledger.requestStarted(.upload(media))
    if case .deadlines(let trace) = policy {
      let deadline = MonotonicClock.nanoseconds() + trace.nanoseconds(ofUpload: media.index)
      let sleep = Parker()
      while MonotonicClock.nanoseconds() < deadline { sleep.park(untilNanoseconds: deadline) }
    }
    return try account.answerBlocking(.upload(media), attempt: attempt)
  }

  func accept(_ job: Job) -> any Cancellable {
    switch policy {
    case .deadlines(let trace):
      let nanoseconds =
        switch job {
        case .request(let request, let attempt, _):
          account.staysSilent(request, attempt: attempt)
            ? Self.silenceNanoseconds : trace.nanoseconds(ofUpload: request.ledgerIndex)
        case .post: trace.postNanoseconds
        }
      let deadline = MonotonicClock.nanoseconds() + nanoseconds
      return push(job, turn: deadline, neededByNanoseconds: deadline)
    case .barrier(let places, _):
      guard case .request(let request, _, _) = job, places.indices.contains(request.ledgerIndex) else {
        return push(job, turn: 0, neededByNanoseconds: 0)
      }
      return push(job, turn: places[request.ledgerIndex], neededByNanoseconds: 0)
    }
  }

  private func push(_ job: Job, turn: UInt64, neededByNanoseconds: UInt64) -> any Cancellable {
    let request = SimulatedRequest(job, account, turn: turn, to: thread.inbox)
    thread.inbox.push(request, neededByNanoseconds: neededByNanoseconds)
    return request
  }
}

extension LatencyTrace {
  fileprivate func nanoseconds(ofUpload index: Int) -> UInt64 {
    uploadNanoseconds.indices.contains(index) ? uploadNanoseconds[index] : 0
  }
}

private final class SimulatedRequest: ServiceRequest, DeadlineHeapElement, @unchecked Sendable {
  /// When it is to be answered; at a barrier its place, and 0 for what is not held there.
  let deadlineNanoseconds: UInt64
  // Invariant: after init only the service's thread touches it.
  var heapPosition: Int?

  init(_ job: Job, _ account: Account, turn: UInt64, to inbox: Inbox<ServiceMessage>) {
    deadlineNanoseconds = turn
    super.init(job, account, to: inbox)
  }
}

/// The thread of a simulated service.
private final class SimulatedServiceThread: ServiceThread, @unchecked Sendable {
  // Invariant: only the thread itself touches the variables.
  private var waiting = DeadlineHeap<SimulatedRequest>()
  /// How many uploads of a post a barrier holds; nil: there is none, and each request has a deadline.
  private let held: Int?
  /// How many uploads of the post have come to the barrier.
  private var arrived = 0

  init(held: Int?) { self.held = held }

  override func begin() { ServiceClass.enter() }

  override func accept(_ request: ServiceRequest) {
    let request = unsafeDowncast(request, to: SimulatedRequest.self)
    guard let held else { return waiting.insert(request) }
    guard request.deadlineNanoseconds > 0 else {
      // The next post's uploads are held again.
      if case .post = request.job { arrived = 0 }
      return answer(request)
    }
    arrived += 1
    if arrived > held { return answer(request) }
    waiting.insert(request)
    if arrived == held { while let next = waiting.first { answer(next) } }
  }

  override func cancel(_ request: ServiceRequest) {
    answer(unsafeDowncast(request, to: SimulatedRequest.self))
  }

  override func doWhatIsDue(isLast: Bool) -> Bool {
    guard let next = waiting.first else { return false }
    let isDue = held == nil ? next.deadlineNanoseconds <= MonotonicClock.nanoseconds() : isLast
    if isDue { answer(next) }
    return isDue
  }

  override var isIdle: Bool { waiting.isEmpty }

  override var wakeNanoseconds: UInt64? { held == nil ? waiting.first?.deadlineNanoseconds : nil }

  private func answer(_ request: SimulatedRequest) {
    waiting.remove(request)
    guard let (job, isCancelled) = take(request) else { return }
    request.withAccount { $0.answer(job, isCancelled: isCancelled) }
  }
}

/// Something due at a time, that knows where in the heap it lies.
protocol DeadlineHeapElement: AnyObject {
  var deadlineNanoseconds: UInt64 { get }
  /// Kept by the heap; nil outside of it.
  var heapPosition: Int? { get set }
}

/// A binary min-heap of deadlines (Williams, 1964); what is due at the same time leaves in the order in which it came.
struct DeadlineHeap<Element: DeadlineHeapElement> {
  private struct Entry {
    let deadlineNanoseconds: UInt64
    let arrival: UInt64
    let element: Element

    static func < (a: Entry, b: Entry) -> Bool {
      (a.deadlineNanoseconds, a.arrival) < (b.deadlineNanoseconds, b.arrival)
    }
  }

  private var entries: [Entry] = []
  private var arrivals: UInt64 = 0

  var isEmpty: Bool { entries.isEmpty }
  /// What is due first.
  var first: Element? { entries.first?.element }

  mutating func insert(_ element: Element) {
    let entry = Entry(deadlineNanoseconds: element.deadlineNanoseconds, arrival: arrivals, element: element)
    arrivals += 1
    entries.append(entry)
    siftUp(entry, from: entries.count - 1)
  }

  /// Takes out an element, wherever it lies; nothing happens if it is not in the heap.
  mutating func remove(_ element: Element) {
    guard let position = element.heapPosition else { return }
    element.heapPosition = nil
    let last = entries.removeLast()
    guard position < entries.count else { return }
    // The last entry takes the free place and moves whichever way it must.
    if position > 0, last < entries[(position - 1) / 2] {
      siftUp(last, from: position)
    } else {
      siftDown(last, from: position)
    }
  }

  private mutating func siftUp(_ entry: Entry, from start: Int) {
    var position = start
    while position > 0 {
      let parent = (position - 1) / 2
      guard entry < entries[parent] else { break }
      place(entries[parent], at: position)
      position = parent
    }
    place(entry, at: position)
  }

  private mutating func siftDown(_ entry: Entry, from start: Int) {
    var position = start
    while true {
      var child = 2 * position + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, entries[child + 1] < entries[child] { child += 1 }
      guard entries[child] < entry else { break }
      place(entries[child], at: position)
      position = child
    }
    place(entry, at: position)
  }

  private mutating func place(_ entry: Entry, at position: Int) {
    entries[position] = entry
    entry.element.heapPosition = position
  }
}
