import RawThreads
import Synchronization
import UploadScenario

class ServiceMessage: InboxItem, @unchecked Sendable {
  func arrive(at thread: ServiceThread) { fatalError("a subclass overrides this") }
}

/// A job, which is also the message to the service's thread and the handle that cancels the job.
class ServiceRequest: ServiceMessage, Cancellable, @unchecked Sendable {
  private enum State: UInt8, AtomicRepresentable { case waiting, cancelled, answered }

  // Invariant: the service's thread retains all accounts until it ends.
  private let unmanagedAccount: Unmanaged<Account>
  private let inbox: Inbox<ServiceMessage>
  private let state = Atomic<State>(.waiting)
  // Invariant: after init, only the service's thread touches `job`, after it has taken the request from the inbox.
  private(set) var job: Job?

  init(_ job: Job, _ account: Account, to inbox: Inbox<ServiceMessage>) {
    self.job = job
    unmanagedAccount = .passUnretained(account)
    self.inbox = inbox
  }

  final func withAccount<Value>(_ body: (Account) throws -> Value) rethrows -> Value {
    try unmanagedAccount._withUnsafeGuaranteedRef(body)
  }

  var isCancelled: Bool { state.load(ordering: .relaxed) == .cancelled }

  final func cancel() {
    let attempt = state.compareExchange(expected: .waiting, desired: .cancelled, ordering: .relaxed)
    if attempt.exchanged { inbox.push(Cancellation(of: self)) }
  }

  final override func arrive(at thread: ServiceThread) { thread.accept(self) }

  /// Takes the job, so that the request no longer retains the completion. `nil` after the first call.
  fileprivate func take() -> (job: Job, isCancelled: Bool)? {
    guard let job = job.take() else { return nil }
    return (job, state.exchange(.answered, ordering: .relaxed) == .cancelled)
  }

  /// The message that a request was cancelled before it was answered.
  private final class Cancellation: ServiceMessage, @unchecked Sendable {
    private let request: ServiceRequest

    init(of request: ServiceRequest) { self.request = request }

    override func arrive(at thread: ServiceThread) {
      thread.cancel(request)
      thread.cancellationsDue -= 1
    }
  }
}

/// The thread of a service that waits for a time, for a number of requests or for the network.
class ServiceThread: @unchecked Sendable {
  let inbox = Inbox<ServiceMessage>()
  // Invariant: only the thread that executes `run` touches this variable.
  /// The number of answered requests whose cancellation is still in the inbox. The thread must take these before it ends.
  fileprivate(set) var cancellationsDue = 0

  /// Starts the thread. It ends some time after the returned lease is released.
  final func start(name: String, for accounts: [Account]) -> ThreadLease {
    _ = RawThread(name: name) {
      self.begin()
      withExtendedLifetime(accounts) { self.run() }
    }
    return ThreadLease { [inbox] in inbox.close() }
  }

  private func run() {
    while true {
      let isLast = inbox.isClosed
      inbox.drain { $0.arrive(at: self) }
      if doWhatIsDue(isLast: isLast) { continue }
      if isLast, isIdle, cancellationsDue == 0 { return }
      inbox.wait(untilNanoseconds: wakeNanoseconds)
    }
  }

  /// Takes the job of a request to answer it. `nil` if it was already taken.
  final func take(_ request: ServiceRequest) -> (job: Job, isCancelled: Bool)? {
    guard let taken = request.take() else { return nil }
    if taken.isCancelled { cancellationsDue += 1 }
    return taken
  }

  // MARK: Overridden by subclasses

  /// Called on the service's thread when it has started.
  func begin() {}
  func accept(_ request: ServiceRequest) { fatalError("a subclass overrides this") }
  /// Handles the cancellation of a request, which may already be answered.
  func cancel(_ request: ServiceRequest) { fatalError("a subclass overrides this") }
  /// Does the work that is due. Returns whether to check the inbox again before the thread sleeps.
  func doWhatIsDue(isLast: Bool) -> Bool { false }
  /// Whether all requests have been answered.
  var isIdle: Bool { true }
  /// The time at which the thread must wake without a message, because work is due.
  var wakeNanoseconds: UInt64? { nil }
}
