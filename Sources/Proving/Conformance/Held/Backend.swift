import Foundation
import RawThreads
import Synchronization
import UploadScenario

/// What stands behind a held service: every call that waits for an answer, and the model that judges all that happens. The
/// kit's player answers the calls, or the explorer's schedule does.
package final class Backend: Sendable {
  /// How a call ends that was cancelled: a cancellation may come too late.
  enum Late: String, CaseIterable {
    case stops, arrives, fails
    case failsForNow = "fails for now"
  }

  package struct State {
    package internal(set) var model: Model
    /// What was broken so far.
    var breaches: [Breach] = []
    /// Whatever comes is answered at once, on these threads; nil: when the player says so.
    var threads: AnsweringThreads?
    /// Calls that block their thread are answered at once.
    var answersBlocking = false
    /// Everything ends, so that no thread is left waiting.
    var isOver = false
    /// Those that wait for an answer, in no order.
    package internal(set) var calls: [HeldCall] = []
    /// Those that were cancelled, and wait to be answered.
    var cancelled: [HeldCall] = []
    /// How many answers are under way while a call of the contender's lasts.
    var meanwhile = 0
    /// `cancel()` has waited in vain for an answer: it waits for no other.
    var isCancelHeld = false
    /// What the completion was called with first.
    package internal(set) var result: Result<Publication, any Error>?
    package internal(set) var isCompletionGone = false
    package internal(set) var isServiceGone = false
    /// The thread that is inside the contender's entry.
    var callerThread: pthread_t?
    /// How many requests were made, the post among them.
    var asks = 0
    var prepared = 0
    /// Tells apart how what was answered has been, in whatever order.
    var ends: UInt64 = 0
    var chunksRead = 0
    var hasReadFailed = false
    /// The threads that prepare or read what is held.
    var heldWork: [Parker] = []
    /// The media file of a stream was opened.
    var isOpened = false
    /// How many of the player's answers and cancels have returned.
    var delivered = 0
    /// A thread of the kit's own slept meanwhile, and woke up when it was to.
    var hasSleptInTime = false
  }

  /// What is done while a call of the contender's lasts, or without the player.
  struct Hooks: Sendable {
    /// How a request ends that is answered at once.
    var answer: @Sendable (HeldCall) -> Result<Void, any Error> = { _ in .success(()) }
    /// Which request ends before the call for the first one returns, and how, given all that wait; nil: none.
    var meanwhile: @Sendable (HeldCall, [HeldCall]) -> (HeldCall, Result<Void, any Error>)? = { _, _ in nil }
    /// How a request ends before the call that cancels it returns; nil: later.
    var cancelled: Late?
    /// Inside the so many-th request, before it is answered or held; with Int.max: inside the completion.
    var inside: @Sendable (Backend, Int) -> Void = { _, _ in }
    /// Does something while a call lasts, which waits for it so many milliseconds; false: in vain.
    var side: @Sendable (UInt64, @escaping @Sendable () -> Void) -> Bool = { _, _ in false }
    /// This media file, or chunk, cannot be read.
    var unreadable: Int?
    /// This media file, or chunk, is being prepared or read until the player releases it.
    var heldWork: Int?
    /// How long a media file, or chunk, takes to prepare or read, in milliseconds, beside the work itself.
    var workMilliseconds: @Sendable (Int) -> Int = { _ in 0 }
  }

  let scenario: Scenario
  package let ledger: Ledger
  let hooks: Hooks
  let state: Mutex<State>
  /// Wakes the player; nil: the explorer's, which never waits.
  let parker: Parker?
  let clock: @Sendable () -> UInt64
  /// Of a job that has not begun.
  private let fresh: Model
  /// How many of the handles that it gave out, and of its readers with their chunks, are still held.
  private let given = Atomic(0)

  /// - Parameter clock: for one thread alone that does everything, in an order of its own; nil: the system's.
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

  /// Forgets a job of which nothing is left, for the next one. Not for calls that block.
  package func reset() {
    ledger.open()
    state.withLock { state in
      var next = State(model: fresh)
      // Their capacity is kept.
      state.calls.removeAll(keepingCapacity: true)
      state.cancelled.removeAll(keepingCapacity: true)
      swap(&next.calls, &state.calls)
      swap(&next.cancelled, &state.cancelled)
      state = next
    }
  }

  /// Starts the job with a service of its own.
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

  // MARK: What the player asks

  // For the explorer, before each step: a function that is not generic, and copies nothing else.
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

  /// Tells the model what the player, or the explorer, does or knows.
  package func tell(_ body: (inout Model) -> Void) { state.withLock { body(&$0.model) } }

  package var breaches: [Breach] { read(\.breaches) }
  package var model: Model { read(\.model) }

  /// The first rule that was broken, once the job has ended and the service is quiet.
  package func breach(of promise: Expectation) -> Breach? {
    let record = ledger.record()
    return state.withLock { state in
      state.breaches.first
        ?? state.result.flatMap { state.model.breaches(of: record, $0, promise: promise).first }
    }
  }

  /// Whether no handle of a request, no reader and no chunk is held any more.
  var isAllGivenBack: Bool { given.load(ordering: .acquiring) == 0 }

  func giveOut() { given.add(1, ordering: .relaxed) }

  func takeBack() {
    if given.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { parker?.unpark() }
  }

  // MARK: What the player does

  /// Answers a call, unless it was answered before.
  package func answer(_ call: HeldCall, _ result: Result<Void, any Error>) { delivery(of: call, result)?() }

  /// Answers what was cancelled.
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

  /// Answers all calls that block, now with this result, and from now on with success.
  func answerBlocking(_ result: (HeldCall) -> Result<Void, any Error> = { _ in .success(()) }) {
    change { $0.answersBlocking = true }
    for call in read({ $0.calls.filter(\.isBlocking) }) { answer(call, result(call)) }
  }

  /// What is prepared or read and held goes on.
  func releaseWork() {
    let held = state.withLock { state in
      defer { state.heldWork = [] }
      return state.heldWork
    }
    for parker in held { parker.unpark() }
  }

  /// Ends everything: what waits, and what comes from now on.
  func release(on threads: AnsweringThreads) {
    change { ($0.isOver, $0.threads) = (true, threads) }
    releaseWork()
    for call in read({ $0.calls }) { answer(call, .failure(CancellationError())) }
    change { $0.cancelled = [] }
  }

  /// Notes the answer to a call; what is returned calls the completion. A chunk's bytes are given back before that.
  ///
  /// - Returns: nil: the call was answered before.
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
    // The player may wait for what is noted; in a flood it waits for the end.
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

  /// Made up for each media file of a play, so that it cannot be guessed.
  func token(for prepared: PreparedMedia) -> UInt64 {
    SeededGenerator.value(seed: ~prepared.digest, index: prepared.media.index)
  }
}

extension Backend.State {
  /// Notes a call that waits.
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

/// The error of bytes that cannot be read, as the player wants it.
struct Unreadable: Error, Hashable, CustomStringConvertible {
  let what: String

  var description: String { "\(what) cannot be read" }
}
