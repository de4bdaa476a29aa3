import Synchronization
import UploadScenario

/// What the timer's thread is told.
class LatencyMessage: InboxItem, @unchecked Sendable {
  /// Runs on the timer's thread.
  func arrive(at timer: LatencyTimer) { fatalError("a message says what it means") }
}

/// A job with a deadline: the message that starts it, and the handle that cancels it.
final class LatencyRequest: LatencyMessage, Cancellable, DeadlineHeapElement, @unchecked Sendable {
  private enum State: UInt8, AtomicRepresentable { case waiting, cancelled, answered }

  let deadlineNanoseconds: UInt64
  private let inbox: Inbox<LatencyMessage>
  // Invariant: the timer's thread keeps every service's answers until it ends.
  private let answers: Unmanaged<MadeUpAnswers>
  private let state = Atomic<State>(.waiting)
  // Invariant: after init only the timer's thread touches these two, which the inbox has handed the request to.
  var heapPosition: Int?
  private var job: Job?

  init(
    _ job: Job, _ answers: Unmanaged<MadeUpAnswers>, deadlineNanoseconds: UInt64,
    inbox: Inbox<LatencyMessage>
  ) {
    self.job = job
    self.answers = answers
    self.deadlineNanoseconds = deadlineNanoseconds
    self.inbox = inbox
  }

  func cancel() {
    let attempt = state.compareExchange(expected: .waiting, desired: .cancelled, ordering: .relaxed)
    if attempt.exchanged { inbox.push(LatencyCancellation(of: self)) }
  }

  override func arrive(at timer: LatencyTimer) { timer.start(self) }

  /// Gives out the job, once, and whether it was cancelled; only the timer's thread calls it.
  ///
  /// Whoever takes the job of a cancelled request has a cancellation in the inbox, or on its way there.
  func take() -> (job: Job, isCancelled: Bool)? {
    guard let job = job.take() else { return nil }
    return (job, state.exchange(.answered, ordering: .relaxed) == .cancelled)
  }

  /// Answers the job that was taken; only the timer's thread calls it.
  func answer(_ job: Job, isCancelled: Bool) {
    answers._withUnsafeGuaranteedRef { $0.answer(job, isCancelled: isCancelled) }
  }
}

/// Says that a request was cancelled.
final class LatencyCancellation: LatencyMessage, @unchecked Sendable {
  private let request: LatencyRequest

  init(of request: LatencyRequest) { self.request = request }

  override func arrive(at timer: LatencyTimer) { timer.cancel(request) }
}
