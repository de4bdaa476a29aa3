import RawThreads
import Timers
import UploadScenario

/// A service that simulates uploads. Its thread answers each upload at the time that a policy sets, and a cancelled one at once.
/// When all services that share the thread are released, it answers the remaining requests and ends.
final class SimulatedService: JobService {
  /// The rule for the times at which uploads are answered.
  enum Policy: Sendable {
    /// Each request is answered after its time in the trace.
    case deadlines(LatencyTrace)
    /// When `held` uploads of a post are in flight, they are answered in the order of their places, from 1, whatever the order in
    /// which the contender has requested them. Later uploads are answered immediately.
    case barrier(places: [UInt64], held: Int)

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
  /// The time after which a request that should get no answer is answered: ten years.
  private static let silenceNanoseconds: UInt64 = 315_360_000_000_000_000

  /// Creates a service for each `Account`. All answer on one thread.
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
    return try account.answer(.upload(media), attempt: attempt, isCancelled: false).get()
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

private final class SimulatedRequest: ServiceRequest, HeapTimer, @unchecked Sendable {
  /// The time of the answer. With a barrier: the upload's place, or 0 for a request that does not wait at the barrier.
  let deadlineNanoseconds: UInt64
  // Invariant: after init, only the service's thread touches `heapPosition`.
  var heapPosition: Int?

  init(_ job: Job, _ account: Account, turn: UInt64, to inbox: Inbox<ServiceMessage>) {
    deadlineNanoseconds = turn
    super.init(job, account, to: inbox)
  }
}

private final class SimulatedServiceThread: ServiceThread, @unchecked Sendable {
  // Invariant: only the service's thread touches the variables.
  private var waiting = TimerHeap<SimulatedRequest>()
  /// The number of uploads of a post that the barrier holds. `nil` if there is no barrier.
  private let held: Int?
  /// The number of uploads of the post that have reached the barrier.
  private var arrived = 0

  init(held: Int?) { self.held = held }

  override func begin() { ServiceClass.enter() }

  override func accept(_ request: ServiceRequest) {
    let request = unsafeDowncast(request, to: SimulatedRequest.self)
    guard let held else { return waiting.insert(request) }
    guard request.deadlineNanoseconds > 0 else {
      // After the request to create the post, the barrier holds the next post's uploads again.
      if case .post = request.job { arrived = 0 }
      return answer(request)
    }
    arrived += 1
    if arrived > held { return answer(request) }
    waiting.insert(request)
    if arrived == held { while let next = waiting.removeFirst(dueBy: .max) { answer(next) } }
  }

  override func cancel(_ request: ServiceRequest) {
    answer(unsafeDowncast(request, to: SimulatedRequest.self))
  }

  override func doWhatIsDue(isLast: Bool) -> Bool {
    guard waiting.count > 0, held == nil || isLast,
      let next = waiting.removeFirst(dueBy: held == nil ? MonotonicClock.nanoseconds() : .max)
    else { return false }
    answer(next)
    return true
  }

  override var isIdle: Bool { waiting.count == 0 }

  override var wakeNanoseconds: UInt64? { held == nil ? waiting.firstDeadlineNanoseconds : nil }

  private func answer(_ request: SimulatedRequest) {
    waiting.remove(request)
    guard let (job, isCancelled) = take(request) else { return }
    request.withAccount { $0.answer(job, isCancelled: isCancelled) }
  }
}
