import Foundation
import RawThreads
import Synchronization
import UploadScenario

/// The state of a simulated service: the requests that wait for an answer, and the `Model` that judges all events. A `Player`,
/// or the explorer of interleavings, answers the requests.
package final class Backend: Sendable {
  /// How the service answers a cancelled request, since the cancellation may come too late.
  enum Late: String, CaseIterable {
    case stops
    case arrives = "succeeds"
    case fails
    case failsForNow = "fails transiently"
  }

  package struct State {
    package internal(set) var model: Model
    var breaches: [Breach] = []
    /// The threads that answer every request immediately. `nil`: the owner of this object answers.
    var threads: AnsweringThreads?
    var answersBlocking = false
    var isOver = false
    /// The requests that wait for an answer, in no particular order.
    package internal(set) var calls: [HeldCall] = []
    var cancelled: [HeldCall] = []
    /// The number of answers being delivered while the contender is inside a call.
    var meanwhile = 0
    /// Whether an answer given during `cancel()` has timed out, so that later cancellations do not wait for answers.
    var isCancelHeld = false
    package internal(set) var result: Result<Publication, any Error>?
    package internal(set) var isCompletionGone = false
    package internal(set) var isServiceGone = false
    /// The thread that is running the contender's `start`.
    var callerThread: pthread_t?
    /// The number of requests made, including the request to create the post.
    var asks = 0
    var prepared = 0
    /// A hash of all answers, independent of their order.
    var ends: UInt64 = 0
    var chunksRead = 0
    var hasReadFailed = false
    var heldWork: [Parker] = []
    var isOpened = false
    var delivered = 0
    /// Whether a thread of the test that slept as long as the job's longest timer woke in time.
    var hasSleptInTime = false
  }

  struct Hooks: Sendable {
    var answer: @Sendable (HeldCall) -> Result<Void, any Error> = { _ in .success(()) }
    /// Receives a new request and all waiting ones. Returns a request to answer before the new request's call returns, if any.
    var meanwhile: @Sendable (HeldCall, [HeldCall]) -> (HeldCall, Result<Void, any Error>)? = { _, _ in nil }
    /// How to answer a cancelled request before `cancel()` returns. `nil` means that the answer comes later.
    var cancelled: Late?
    /// Called with n inside the n-th request, and with `Int.max` inside the completion.
    var inside: @Sendable (Backend, Int) -> Void = { _, _ in }
    /// Runs a body on another thread and waits for at most some milliseconds. Returns false on a timeout.
    var side: @Sendable (UInt64, @escaping @Sendable () -> Void) -> Bool = { _, _ in false }
    var unreadable: Int?
    var heldWork: Int?
    var workMilliseconds: @Sendable (Int) -> Int = { _ in 0 }
  }

  let scenario: Scenario
  package let ledger: Ledger
  let hooks: Hooks
  let state: Mutex<State>
  /// Wakes the thread that waits for events. `nil` for the explorer, which never waits.
  let parker: Parker?
  let clock: @Sendable () -> UInt64
  private let fresh: Model
  /// The number of request handles, readers and chunks that are still referenced.
  private let given = Atomic(0)

  package convenience init(
    _ expectation: Expectation, clock: @escaping @Sendable () -> UInt64, refusing index: Int?
  ) {
    let scenario = expectation.scenario
    let hooks = Hooks(answer: { call in
      guard let index, call.ledgerIndex == index else { return .success(()) }
      return .failure(scenario.refusal(ofLedgerIndex: index))
    })
    self.init(expectation, hooks: hooks, parker: nil, clock: clock)
    change { $0.answersBlocking = true }
  }

  init(
    _ expectation: Expectation, hooks: Hooks = Hooks(), parker: Parker? = Parker(),
    clock: @escaping @Sendable () -> UInt64 = { MonotonicClock.nanoseconds() }
  ) {
    scenario = expectation.scenario
    (self.hooks, self.parker, self.clock) = (hooks, parker, clock)
    ledger = Ledger(requestCount: expectation.scenario.requestCount, nanoseconds: clock)
    fresh = Model(expectation.scenario, expectation.post, receipts: expectation.receipts)
    state = Mutex(State(model: fresh))
  }

  /// Resets the state for the next job, after everything of the last job was released. Does not support blocking calls.
  package func reset() {
    ledger.open()
    state.withLock { state in
      var next = State(model: fresh)
      state.calls.removeAll(keepingCapacity: true)
      state.cancelled.removeAll(keepingCapacity: true)
      swap(&next.calls, &state.calls)
      swap(&next.cancelled, &state.cancelled)
      state = next
    }
  }

  package func start(_ contender: some Contender) -> any Cancellable {
    state.withLock {
      $0.model.started(at: clock())
      if parker != nil {
        $0.callerThread = pthread_self()
      }
    }
    defer { change { $0.callerThread = nil } }
    let token = Token { self.change { $0.isCompletionGone = true } }
    return contender.start(scenario, post: model.post, service: HeldService(self)) { result in
      withExtendedLifetime(token) { self.complete(result) }
    }
  }

  // MARK: Queries

  // The explorer reads these properties before each step, so they are not generic and copy no other state.
  package var asks: Int { state.withLock { $0.asks } }
  package var reasonCount: Int { state.withLock { $0.model.reasons.count } }
  package var calls: [HeldCall] { state.withLock { $0.calls } }
  package var hasEnded: Bool { state.withLock { $0.model.hasEnded } }
  var hasBegun: Bool { state.withLock { $0.model.startedAt > 0 } }

  package func read<Value: Sendable>(_ body: (State) -> Value) -> Value {
    state.withLock { state in body(state) }
  }

  func change(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    parker?.unpark()
  }

  package func notify(_ body: (inout Model) -> Void) { state.withLock { body(&$0.model) } }

  package var breaches: [Breach] { read(\.breaches) }
  package var model: Model { read(\.model) }

  /// The first breach. Read it once the job has ended and no request is in flight.
  package func breach(of promise: Expectation) -> Breach? {
    let record = ledger.record()
    return state.withLock { state in
      state.breaches.first
        ?? state.result.flatMap { state.model.breaches(of: record, $0, promise: promise).first }
    }
  }

  var isAllGivenBack: Bool { given.load(ordering: .acquiring) == 0 }

  func giveOut() { given.add(1, ordering: .relaxed) }

  func takeBack() {
    if given.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { parker?.unpark() }
  }

  // MARK: Answers to requests

  package func answer(_ call: HeldCall, _ result: Result<Void, any Error>) { delivery(of: call, result)?() }

  func answerCancelled(_ late: Late) {
    let cancelled = state.withLock { state in
      defer { state.cancelled = [] }
      return state.cancelled
    }
    for call in cancelled { answer(call, late) }
  }

  func answer(_ call: HeldCall, _ late: Late) {
    switch late {
    case .stops: answer(call, .failure(CancellationError()))
    case .arrives: answer(call, .success(()))
    case .fails, .failsForNow:
      let error = scenario.refusal(
        ofLedgerIndex: call.ledgerIndex ?? 0, reason: "refused late", isTransient: late == .failsForNow)
      answer(call, .failure(error))
    }
  }

  /// Answers all waiting blocking calls with this result, and all later ones with success.
  func answerBlocking(_ result: (HeldCall) -> Result<Void, any Error> = { _ in .success(()) }) {
    change { $0.answersBlocking = true }
    for call in read({ $0.calls.filter(\.isBlocking) }) { answer(call, result(call)) }
  }

  func releaseWork() {
    let held = state.withLock { state in
      defer { state.heldWork = [] }
      return state.heldWork
    }
    for parker in held { parker.unpark() }
  }

  func release(on threads: AnsweringThreads) {
    change { ($0.isOver, $0.threads) = (true, threads) }
    releaseWork()
    for call in read({ $0.calls }) { answer(call, .failure(CancellationError())) }
    change { $0.cancelled = [] }
  }

  /// Records the answer and releases the chunk. Returns a closure that calls the completion, or `nil` if already answered.
  func delivery(of call: HeldCall, _ result: Result<Void, any Error>) -> (@Sendable () -> Void)? {
    let (kind, isFlood) = state.withLock { state in
      guard let kind = call.kind.take() else { return (HeldCall.Kind?.none, false) }
      state.remove(call)
      if let index = call.ledgerIndex {
        state.model.answered(index, attempt: call.attempt, result, at: clock())
        if parker == nil { state.ends &+= StateHash.end(of: index, result) }
      } else {
        state.model.postAnswered(result)
      }
      return (kind, state.threads != nil)
    }
    // The thread of the test case waits for this answer, unless other threads answer all requests.
    defer { if !isFlood { parker?.unpark() } }
    switch kind {
    case .request(let request, let completion):
      note(request, result)
      let receipt = receipt(of: request)
      return { completion(result.map { receipt }) }
    case .post(let post, let receipts, let completion):
      if case .success = result { ledger.postCreated(receipts) }
      return { completion(result.map { Publication(postID: post.id, receipts: receipts) }) }
    case nil: return nil
    }
  }

  private func note(_ request: Request, _ result: Result<Void, any Error>) {
    switch result {
    case .success: ledger.uploadFinished(request.ledgerIndex)
    case .failure(let error) where type(of: error) == CancellationError.self:
      ledger.uploadCancelled(request.ledgerIndex)
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

  /// Derives a token from the media file, so that a contender cannot guess it.
  func token(for prepared: PreparedMedia) -> UInt64 {
    SeededGenerator.value(seed: ~prepared.digest, index: prepared.media.index)
  }
}

extension Backend.State {
  mutating func add(_ call: HeldCall) {
    call.place = calls.count
    calls.append(call)
  }

  fileprivate mutating func remove(_ call: HeldCall) {
    guard let place = call.place else { return }
    call.place = nil
    let last = calls.removeLast()
    guard last !== call else { return }
    calls[place] = last
    last.place = place
  }
}

struct Unreadable: Error, Hashable, CustomStringConvertible {
  let what: String

  var description: String { "\(what) cannot be read" }
}
