import Foundation
import RawThreads
import Synchronization
import UploadScenario

/// What stands behind held services: every call that waits for an answer, and all that was seen. The kit's scripts answer
/// the calls, or the explorer's schedule does.
package final class Backend: Sendable {
  /// How calls are answered.
  enum Answering {
    /// When the script says so.
    case byScript
    /// At once, on the caller's thread.
    case inline
    /// At once, on several threads.
    case onThreads(AnsweringThreads)
    /// The trial is over: everything ends, so that no thread is left waiting.
    case never
  }

  /// How a call ends that was cancelled: a cancellation may come too late.
  enum Late: String, CaseIterable {
    case stops, arrives, fails
  }

  package struct State {
    var answering = Answering.byScript
    /// Calls that block their thread are answered at once.
    package var answersBlocking = false
    package internal(set) var calls: [HeldCall] = []
    /// What the completion was called with, every time.
    package internal(set) var results: [Result<Publication, any Error>] = []
    /// What was under way and not cancelled when the completion was called.
    var uncancelledAtTheEnd: [Int] = []
    /// Which requests were made, in that order, and when.
    package internal(set) var starts: [(index: Int, nanoseconds: UInt64)] = []
    var postsAskedFor = 0
    package internal(set) var isCompletionGone = false
    package internal(set) var isServiceGone = false
    /// The thread that is inside the contender's entry.
    var callerThread: pthread_t?
    var chunksRead = 0
    /// Reading this chunk fails.
    var unreadableChunk: Int?
    /// Preparing this media fails.
    var unpreparableMedia: Int?
    /// With answers at once: this request fails.
    package var refusedIndex: Int?
    /// What only the service could see.
    var observations: [Oracle.Problem] = []
    /// How many requests are being made one inside the other, by thread.
    var depths: [UInt: Int] = [:]
    /// What the first completion does before it returns.
    var atTheFirstEnd: (@Sendable () -> Void)?
    /// What becomes of a call that was cancelled.
    var late = Late.stops
    /// A cancellation from another thread has returned.
    var isCancelDelivered = false
  }

  /// As deep as a service that answers inline lets answers call for further requests; idioms that bound the depth by a
  /// number stay below it.
  static let mostDepth = 128

  let scenario: Scenario
  package let ledger: Ledger
  let state: Mutex<State>
  /// Wakes the script; nil: nobody ever waits.
  let parker: Parker?
  let clock: @Sendable () -> UInt64

  /// - Parameter isScheduled: one thread alone does everything, in an order of its own; then time means nothing.
  package init(_ scenario: Scenario, isScheduled: Bool = false, configure: (inout State) -> Void = { _ in }) {
    self.scenario = scenario
    parker = isScheduled ? nil : Parker()
    clock = { isScheduled ? 0 : MonotonicClock.nanoseconds() }
    ledger = Ledger(requestCount: scenario.requestCount, nanoseconds: clock)
    var state = State()
    configure(&state)
    self.state = Mutex(state)
  }

  /// Starts a job with a service of its own.
  package func start(_ contender: some Contender, _ post: Post) -> any Cancellable {
    let token = Token { self.change { $0.isCompletionGone = true } }
    return contender.start(scenario, post: post, service: HeldService(self)) { result in
      withExtendedLifetime(token) { self.complete(result) }
    }
  }

  // MARK: What the script asks

  package func read<Value: Sendable>(_ body: (State) -> Value) -> Value {
    state.withLock { state in body(state) }
  }

  func change(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    parker?.unpark()
  }

  /// Waits until something holds, answering whatever is cancelled meanwhile, as a real service does promptly.
  ///
  /// For one thread. False: the deadline came first.
  func wait(untilNanoseconds deadline: UInt64, _ condition: (State) -> Bool) -> Bool {
    while true {
      answerCancelled()
      if read(condition) { return true }
      guard let parker, parker.park(untilNanoseconds: deadline) else {
        answerCancelled()
        return read(condition)
      }
    }
  }

  // MARK: What the script does

  /// Answers a call, a second time with `again` if that is given, unless it was answered before.
  package func answer(
    _ call: HeldCall, _ result: Result<Void, any Error>, again: Result<Void, any Error>? = nil
  ) {
    guard let deliver = take(call, result) else { return }
    deliver(result)
    if let again { deliver(again) }
  }

  private func answerCancelled() {
    let (cancelled, late) = read { state in (state.calls.filter(\.isCancelled), state.late) }
    for call in cancelled {
      switch late {
      case .stops: answer(call, .failure(CancellationError()))
      case .arrives: answer(call, .success(()))
      case .fails:
        answer(call, .failure(scenario.refusal(ofLedgerIndex: call.ledgerIndex ?? 0, reason: "refused late")))
      }
    }
  }

  /// Answers whoever is blocked, now and from now on.
  func answerBlocking() {
    change { $0.answersBlocking = true }
    for call in read({ $0.calls.filter(\.isBlocking) }) { answer(call, .success(())) }
  }

  /// Answers on these threads, whatever waits and whatever comes from now on.
  func answerOnThreads(_ threads: AnsweringThreads) {
    change { $0.answering = .onThreads(threads) }
    for call in read({ $0.calls }) { threads.submit { self.answer(call, .success(())) } }
  }

  /// Ends everything: whatever waits, and whatever comes from now on.
  func release() {
    change { $0.answering = .never }
    for call in read({ $0.calls }) { answer(call, .failure(CancellationError())) }
  }

  /// Takes the call from those that wait. A chunk's bytes are given back before it is answered.
  private func take(_ call: HeldCall, _ result: Result<Void, any Error>)
    -> Callback<Void>?
  {
    let kind = state.withLock { state in
      guard let kind = call.kind else { return HeldCall.Kind?.none }
      call.kind = nil
      if let place = state.calls.firstIndex(where: { $0 === call }) { state.calls.remove(at: place) }
      return kind
    }
    // After what is noted, which may be what the script waits for.
    defer { parker?.unpark() }
    switch kind {
    case .request(let request, let completion):
      note(request, result)
      let receipt = receipt(of: request)
      return { result in completion(result.map { receipt }) }
    case .post(let post, let receipts, let completion):
      if case .success = result { ledger.postCreated(receipts) }
      return { result in completion(result.map { Publication(postID: post.id, receipts: receipts) }) }
    case .blocking(let media, let answer):
      note(.upload(media), result)
      return { result in answer.give(result.map { media.expectedReceipt }) }
    case nil: return nil
    }
  }

  private func note(_ request: Request, _ result: Result<Void, any Error>) {
    switch result {
    case .success: ledger.uploadFinished(request.ledgerIndex)
    case .failure(is CancellationError): ledger.uploadCancelled(request.ledgerIndex)
    case .failure: ledger.uploadFailed(request.ledgerIndex, mayGoOn: true)
    }
    switch (request, result) {
    case (.uploadTo, _), (.issueURL, .failure): ledger.chainEnded()
    default: break
    }
  }

  private func receipt(of request: Request) -> Receipt {
    guard case .issueURL(let prepared) = request else {
      let receipt = request.receipt
      if case .uploadChunk(let chunk) = request { chunk.giveBack() }
      return receipt
    }
    return Receipt(mediaIndex: prepared.media.index, byteCount: 0, checksum: token(for: prepared))
  }

  /// Made up for each media of a trial, so that nobody can guess it.
  func token(for prepared: PreparedMedia) -> UInt64 {
    SeededGenerator.value(seed: ~prepared.digest, index: prepared.media.index)
  }
}

/// The error of bytes that cannot be read, as the script wants it.
struct Unreadable: Error, Hashable, CustomStringConvertible {
  let what: String

  var description: String { "\(what) cannot be read" }
}
