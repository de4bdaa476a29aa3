import RawThreads
import Synchronization
import UploadScenario

/// A message to a service's thread.
class ServiceMessage: InboxItem, @unchecked Sendable {
  /// Runs on the service's thread.
  func arrive(at thread: ServiceThread) { fatalError("a subclass overrides this") }
}

/// A job, its message to the thread and its cancel handle in one object.
class ServiceRequest: ServiceMessage, Cancellable, @unchecked Sendable {
  private enum State: UInt8, AtomicRepresentable { case waiting, cancelled, answered }

  // Invariant: the service's thread keeps every account until it ends.
  private let unmanagedAccount: Unmanaged<Account>
  private let inbox: Inbox<ServiceMessage>
  private let state = Atomic<State>(.waiting)
  // Invariant: after init only the service's thread touches it, after it has taken the request from the inbox.
  private(set) var job: Job?

  init(_ job: Job, _ account: Account, to inbox: Inbox<ServiceMessage>) {
    self.job = job
    unmanagedAccount = .passUnretained(account)
    self.inbox = inbox
  }

  /// Lends the account whose ledger records the request.
  final func withAccount<Value>(_ body: (Account) throws -> Value) rethrows -> Value {
    try unmanagedAccount._withUnsafeGuaranteedRef(body)
  }

  var isCancelled: Bool { state.load(ordering: .relaxed) == .cancelled }

  final func cancel() {
    let attempt = state.compareExchange(expected: .waiting, desired: .cancelled, ordering: .relaxed)
    if attempt.exchanged { inbox.push(Cancellation(of: self)) }
  }

  final override func arrive(at thread: ServiceThread) { thread.accept(self) }

  /// Returns the job, once, so that the request keeps no completion, and whether it is cancelled.
  fileprivate func take() -> (job: Job, isCancelled: Bool)? {
    guard let job = job.take() else { return nil }
    return (job, state.exchange(.answered, ordering: .relaxed) == .cancelled)
  }

  /// Reports that the request was cancelled before it was answered.
  private final class Cancellation: ServiceMessage, @unchecked Sendable {
    private let request: ServiceRequest

    init(of request: ServiceRequest) { self.request = request }

    override func arrive(at thread: ServiceThread) {
      thread.cancel(request)
      thread.cancellationsDue -= 1
    }
  }
}

/// The one thread of a service that waits: for time, a number of requests or a network.
class ServiceThread: @unchecked Sendable {
  let inbox = Inbox<ServiceMessage>()
  // Invariant: only the thread that runs `run` touches it.
  /// How many cancelled requests were answered before their cancellation left the inbox, which it keeps alive.
  fileprivate(set) var cancellationsDue = 0

  /// Starts the thread, which ends some time after the lease is released.
  final func start(name: String, for accounts: [Account]) -> ThreadLease {
    _ = RawThread(name: name) {
      self.begin()
      withExtendedLifetime(accounts) { self.run() }
    }
    return ThreadLease { [inbox] in inbox.close() }
  }

  /// Answers until the inbox is closed and every request was answered.
  private func run() {
    while true {
      let isLast = inbox.isClosed
      inbox.drain { $0.arrive(at: self) }
      if doWhatIsDue(isLast: isLast) { continue }
      if isLast, isIdle, cancellationsDue == 0 { return }
      inbox.wait(untilNanoseconds: wakeNanoseconds)
    }
  }

  /// Takes the job of a request, to answer it, once.
  final func take(_ request: ServiceRequest) -> (job: Job, isCancelled: Bool)? {
    guard let taken = request.take() else { return nil }
    if taken.isCancelled { cancellationsDue += 1 }
    return taken
  }

  // MARK: For subclasses

  /// The thread has started.
  func begin() {}
  /// A request has come.
  func accept(_ request: ServiceRequest) { fatalError("a subclass overrides this") }
  /// A request's cancellation has come; it may have been answered meanwhile.
  func cancel(_ request: ServiceRequest) { fatalError("a subclass overrides this") }
  /// Does the work that is due; returns whether to look into the inbox again before sleeping.
  func doWhatIsDue(isLast: Bool) -> Bool { false }
  /// Whether no request waits for its answer.
  var isIdle: Bool { true }
  /// When work is due even without a message; nil: none is.
  var wakeNanoseconds: UInt64? { nil }
}
