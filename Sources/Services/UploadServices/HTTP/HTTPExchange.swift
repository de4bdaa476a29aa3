import Synchronization
import UploadScenario

/// What the service's thread is told.
class HTTPMessage: InboxItem, @unchecked Sendable {
  /// Runs on the service's thread.
  func arrive(at dispatcher: HTTPDispatcher) { fatalError("a message says what it means") }
}

/// A job on its way: the message that asks for it, and the handle that cancels it.
final class HTTPExchange: HTTPMessage, Cancellable, DeadlineHeapElement, @unchecked Sendable {
  private enum State: UInt8, AtomicRepresentable { case waiting, cancelled, answered }

  /// Where it stands in the eyes of the service's thread.
  enum Stage { case waiting, silent, underWay, answered }

  /// Whose ledger hears of it, and which faults it meets.
  let answers: MadeUpAnswers
  private let inbox: Inbox<HTTPMessage>
  private let state = Atomic<State>(.waiting)
  // Invariant: after init only the service's thread touches what follows, which the inbox has handed the message to.
  private(set) var job: Job?
  var stage = Stage.waiting
  var deadlineNanoseconds: UInt64 = 0
  var heapPosition: Int?
  /// What the transport is doing for it.
  var transfer: (any Cancellable)?
  /// What proves the upload, once its bytes were read.
  var receipt: Receipt?
  var byteCount = 0
  /// It was told to stop because it took too long.
  var isGivenUp = false
  /// Its cancellation has come out of the inbox.
  var hasHeardOfCancellation = false

  init(_ job: Job, _ answers: MadeUpAnswers, inbox: Inbox<HTTPMessage>) {
    self.job = job
    self.answers = answers
    self.inbox = inbox
  }

  func cancel() {
    let attempt = state.compareExchange(expected: .waiting, desired: .cancelled, ordering: .relaxed)
    if attempt.exchanged { inbox.push(HTTPCancellation(of: self)) }
  }

  override func arrive(at dispatcher: HTTPDispatcher) { dispatcher.accept(self) }

  var isCancelled: Bool { state.load(ordering: .relaxed) == .cancelled }

  /// Gives out the job for its answer, so that the exchange keeps no completion, and whether it was cancelled by now.
  func take() -> (job: Job, isCancelled: Bool)? {
    guard let job = job.take() else { return nil }
    stage = .answered
    return (job, state.exchange(.answered, ordering: .relaxed) == .cancelled)
  }
}

/// Says that an exchange was cancelled.
final class HTTPCancellation: HTTPMessage, @unchecked Sendable {
  private let exchange: HTTPExchange

  init(of exchange: HTTPExchange) { self.exchange = exchange }

  override func arrive(at dispatcher: HTTPDispatcher) { dispatcher.cancel(exchange) }
}

/// Says how an exchange ended.
final class HTTPEnding: HTTPMessage, @unchecked Sendable {
  private let exchange: HTTPExchange
  private let result: Result<HTTPAnswer, HTTPFailure>

  init(of exchange: HTTPExchange, _ result: Result<HTTPAnswer, HTTPFailure>) {
    self.exchange = exchange
    self.result = result
  }

  override func arrive(at dispatcher: HTTPDispatcher) { dispatcher.end(exchange, result) }
}
