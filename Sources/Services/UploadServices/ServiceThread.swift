import RawThreads
import Synchronization
import UploadScenario

/// What a service's thread is told.
class ServiceMessage: InboxItem, @unchecked Sendable {
  /// Runs on the service's thread.
  func arrive(at thread: ServiceThread) { fatalError("a message says what it means") }
}

/// A job with the message that asks for it and the handle that cancels it in one object.
class ServiceRequest: ServiceMessage, Cancellable, @unchecked Sendable {
  private enum State: UInt8, AtomicRepresentable { case waiting, cancelled, answered }

  // Invariant: the service's thread keeps every account until it ends.
  private let unmanagedAccount: Unmanaged<Account>
  private let inbox: Inbox<ServiceMessage>
  private let state = Atomic<State>(.waiting)
  // Invariant: after init only the service's thread touches it, which the inbox has handed the request to.
  private(set) var job: Job?

  init(_ job: Job, _ account: Account, to inbox: Inbox<ServiceMessage>) {
    self.job = job
    unmanagedAccount = .passUnretained(account)
    self.inbox = inbox
  }

  /// Lends the account whose ledger hears of it.
  final func withAccount<Value>(_ body: (Account) throws -> Value) rethrows -> Value {
    try unmanagedAccount._withUnsafeGuaranteedRef(body)
  }

  var isCancelled: Bool { state.load(ordering: .relaxed) == .cancelled }

  final func cancel() {
    let attempt = state.compareExchange(expected: .waiting, desired: .cancelled, ordering: .relaxed)
    if attempt.exchanged { inbox.push(Cancellation(of: self)) }
  }

  final override func arrive(at thread: ServiceThread) { thread.accept(self) }

  /// Gives out the job, once, so that the request keeps no completion, and whether it was cancelled by then.
  fileprivate func take() -> (job: Job, isCancelled: Bool)? {
    guard let job = job.take() else { return nil }
    return (job, state.exchange(.answered, ordering: .relaxed) == .cancelled)
  }

  /// Says that the request was cancelled before it was answered.
  private final class Cancellation: ServiceMessage, @unchecked Sendable {
    private let request: ServiceRequest

    init(of request: ServiceRequest) { self.request = request }

    override func arrive(at thread: ServiceThread) {
      thread.cancel(request)
      thread.cancellationsDue -= 1
    }
  }
}

/// The one thread of a service that waits: for a time, a number of requests or a network.
class ServiceThread: @unchecked Sendable {
  let inbox = Inbox<ServiceMessage>()
  // Invariant: only the thread that runs `run` touches it.
  /// How many cancelled requests were answered before their cancellation came out of the inbox, which it would keep alive there.
  fileprivate(set) var cancellationsDue = 0

  /// Starts the thread, which ends some time after the lease is released.
  final func start(name: String, for accounts: [Account]) -> ThreadLease {
    _ = RawThread(name: name) {
      self.begin()
      withExtendedLifetime(accounts) { self.run() }
    }
    return ThreadLease { [inbox] in inbox.close() }
  }

  /// Answers until the inbox is closed and everything in it was answered.
  private func run() {
    while true {
      let isLast = inbox.isClosed
      inbox.drain { $0.arrive(at: self) }
      if doWhatIsDue(isLast: isLast) { continue }
      if isLast, isIdle, cancellationsDue == 0 { return }
      inbox.wait(untilNanoseconds: wakeNanoseconds)
    }
  }

  /// Takes the job of a request, so that it can be answered, once.
  final func take(_ request: ServiceRequest) -> (job: Job, isCancelled: Bool)? {
    guard let taken = request.take() else { return nil }
    if taken.isCancelled { cancellationsDue += 1 }
    return taken
  }

  // MARK: For subclasses

  /// The thread has started.
  func begin() {}
  /// A request has come.
  func accept(_ request: ServiceRequest) { fatalError("a service's thread accepts requests") }
  /// A request's cancellation has come; it may have been answered meanwhile.
  func cancel(_ request: ServiceRequest) { fatalError("a service's thread cancels requests") }
  /// Does what the time or the requests ask for; whether to look into the inbox again before sleeping.
  func doWhatIsDue(isLast: Bool) -> Bool { false }
  /// Whether nothing waits for its answer.
  var isIdle: Bool { true }
  /// When something is due, whatever comes; nil: nothing is.
  var wakeNanoseconds: UInt64? { nil }
}
