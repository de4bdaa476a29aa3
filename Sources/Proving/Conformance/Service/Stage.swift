import Foundation
import RawThreads
import Synchronization
import UploadScenario

/// What the service and the script share: every call that waits for an answer, and all that was seen.
final class Stage: Sendable {
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

  struct State {
    var answering = Answering.byScript
    var calls: [HeldCall] = []
    /// What the completion was called with, every time.
    var results: [Result<Publication, any Error>] = []
    /// What was under way and not cancelled when the completion was called.
    var uncancelledAtTheEnd: [Int] = []
    /// Which requests were made, in that order, and when.
    var starts: [(index: Int, nanoseconds: UInt64)] = []
    var postsAskedFor = 0
    var isTokenGone = false
    var isServiceGone = false
    /// The thread that is inside the contender's entry.
    var callerThread: pthread_t?
    var prepared = 0
    var chunksRead = 0
    /// Reading this chunk fails.
    var unreadableChunk: Int?
    /// Preparing this media fails.
    var unpreparableMedia: Int?
    /// With answers inline: this request fails.
    var refusedIndex: Int?
    var tokens: [Int: UInt64] = [:]
    var findings: [Finding] = []
    /// How many requests are being made one inside the other, by thread.
    var depths: [UInt: Int] = [:]
    /// What the first completion does before it returns.
    var atTheFirstEnd: (@Sendable () -> Void)?
    /// What becomes of a call that was cancelled.
    var late = Late.stops
    /// A cancellation from another thread has returned.
    var isCancelDelivered = false
  }

  /// Something that only the service could see.
  struct Finding {
    let rule: Rule
    let seen: String
    let promised: String
  }

  /// As deep as a service that answers inline lets answers call for further requests; idioms that bound the depth by a
  /// number stay below it.
  static let mostDepth = 128

  let scenario: Scenario
  let ledger: Ledger
  private let state: Mutex<State>
  private let parker = Parker()

  init(_ scenario: Scenario, configure: (inout State) -> Void = { _ in }) {
    self.scenario = scenario
    ledger = Ledger(requestCount: scenario.requestCount) { MonotonicClock.nanoseconds() }
    var state = State()
    configure(&state)
    self.state = Mutex(state)
  }

  // MARK: What the script asks

  func read<Value: Sendable>(_ body: (State) -> Value) -> Value {
    state.withLock { state in body(state) }
  }

  func change(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    parker.unpark()
  }

  /// Waits until something holds, answering whatever is cancelled meanwhile, as a real service does promptly.
  ///
  /// For one thread. False: the deadline came first.
  func wait(untilNanoseconds deadline: UInt64, _ condition: (State) -> Bool) -> Bool {
    while true {
      answerCancelled()
      if read(condition) { return true }
      guard parker.park(untilNanoseconds: deadline) else {
        answerCancelled()
        return read(condition)
      }
    }
  }

  /// The calls that wait at a place in the ledger and were not cancelled.
  func calls(at index: Int?) -> [HeldCall] {
    read { $0.calls.filter { $0.ledgerIndex == index && !$0.isCancelled } }
  }

  // MARK: What the script does

  /// Answers a call, a second time with `again` if that is given; false if it was answered before.
  @discardableResult
  func answer(_ call: HeldCall, _ result: Result<Void, any Error>, again: Result<Void, any Error>? = nil)
    -> Bool
  {
    guard let deliver = take(call, result) else { return false }
    deliver(result)
    if let again { deliver(again) }
    return true
  }

  func answerCancelled() {
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

  /// Lets go of whoever is blocked, now and from now on.
  func answerBlockedInline() {
    change { $0.answering = .inline }
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
    -> (@Sendable (Result<Void, any Error>) -> Void)?
  {
    let kind = state.withLock { state in
      guard let kind = call.kind else { return HeldCall.Kind?.none }
      call.kind = nil
      if let place = state.calls.firstIndex(where: { $0 === call }) { state.calls.remove(at: place) }
      return kind
    }
    // After what is noted, which may be what the script waits for.
    defer { parker.unpark() }
    switch kind {
    case .request(let request, let completion):
      note(request, result)
      let receipt = receipt(of: request)
      return { result in completion(result.map { receipt }) }
    case .post(let post, let receipts, let completion):
      if case .success = result { ledger.postCreated(receipts) }
      return { result in completion(result.map { Publication(postID: post.id, receipts: receipts) }) }
    case .blocking(let media, let thread):
      note(.upload(media), result)
      return { result in thread.answer(result.map { media.expectedReceipt }) }
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
  private func token(for prepared: PreparedMedia) -> UInt64 {
    SeededGenerator.value(seed: ~prepared.digest, index: prepared.media.index)
  }
}

// MARK: What the service and the contender report
extension Stage {
  func accept(_ kind: HeldCall.Kind) -> any Cancellable {
    let call = HeldCall(kind, on: self)
    if let index = call.ledgerIndex { ledger.uploadStarted(index) }
    if case .request(let request, _) = kind { check(request) }
    let answering = state.withLock { state in
      if let index = call.ledgerIndex {
        state.starts.append((index, MonotonicClock.nanoseconds()))
      } else {
        state.postsAskedFor += 1
      }
      if case .inline = state.answering {
      } else if case .onThreads = state.answering {
      } else {
        state.calls.append(call)
      }
      return state.answering
    }
    switch answering {
    case .byScript: parker.unpark()
    case .inline: answerInline(call)
    case .onThreads(let threads): threads.submit { self.answer(call, .success(())) }
    case .never: answer(call, .failure(CancellationError()))
    }
    return call
  }

  func block(_ media: Media) throws -> Receipt {
    let thread = BlockedThread()
    let call = HeldCall(.blocking(media, thread), on: self)
    ledger.uploadStarted(media.index)
    let answering = state.withLock { state -> Answering in
      state.starts.append((media.index, MonotonicClock.nanoseconds()))
      // The script would wait for itself.
      if state.noteCaller(.blocksOffTheCaller, "uploaded media \(media.index)") { return .inline }
      if case .byScript = state.answering { state.calls.append(call) }
      return state.answering
    }
    switch answering {
    case .byScript: parker.unpark()
    case .inline, .onThreads: answer(call, refusal(of: call) ?? .success(()))
    case .never: answer(call, .failure(CancellationError()))
    }
    return try thread.wait()
  }

  func prepare(_ media: Media) throws -> PreparedMedia {
    ledger.chainStarted()
    let isUnpreparable = state.withLock { state in
      state.prepared += 1
      state.noteCaller(.preparesOffTheCaller, "prepared media \(media.index)")
      return state.unpreparableMedia == media.index
    }
    if isUnpreparable {
      ledger.chainEnded()
      throw Unreadable(what: "media \(media.index)")
    }
    return try PreparedMedia(media, passes: scenario.preparePasses)
  }

  func cancel(_ call: HeldCall) {
    state.withLock { state in
      guard call.kind != nil else { return }
      call.isCancelled = true
    }
    parker.unpark()
  }

  func complete(_ result: Result<Publication, any Error>) {
    ledger.close()
    let atTheFirstEnd = state.withLock { state in
      defer { state.atTheFirstEnd = nil }
      if state.results.isEmpty {
        state.uncancelledAtTheEnd = state.calls.filter { !$0.isCancelled && !$0.isBlocking }
          .map { $0.ledgerIndex ?? -1 }
      }
      state.results.append(result)
      return state.atTheFirstEnd
    }
    atTheFirstEnd?()
    parker.unpark()
  }

  func tokenWasReleased() { change { $0.isTokenGone = true } }

  func serviceWasReleased() { change { $0.isServiceGone = true } }

  private func refusal(of call: HeldCall) -> Result<Void, any Error>? {
    guard let index = call.ledgerIndex, read({ $0.refusedIndex }) == index else { return nil }
    return .failure(scenario.refusal(ofLedgerIndex: index))
  }

  /// Answers on the caller's stack, as long as it does not grow without bound.
  private func answerInline(_ call: HeldCall) {
    let thread = UInt(bitPattern: pthread_self().hashValue)
    let depth = state.withLock { state in
      let depth = state.depths[thread, default: 0] + 1
      state.depths[thread] = depth
      if depth > Self.mostDepth, case .inline = state.answering {
        state.answering = .never
        state.findings.append(
          Finding(
            rule: .inlineAnswers, seen: "\(depth) requests made one inside the other",
            promised: "a stack that does not grow with the number of uploads"))
      }
      return depth
    }
    answer(call, depth > Self.mostDepth ? .failure(CancellationError()) : refusal(of: call) ?? .success(()))
    state.withLock { state in state.depths[thread] = depth == 1 ? nil : depth - 1 }
  }

  private func check(_ request: Request) {
    guard case .uploadTo(let url, let prepared) = request, url.token != token(for: prepared) else { return }
    change {
      $0.findings.append(
        Finding(
          rule: .itsOwnURL, seen: "media \(prepared.media.index) uploaded to another URL",
          promised: "the one issued for it"))
    }
  }
}

extension Stage: ChunkLedger {
  func chunkWillBeRead() throws {
    let isUnreadable = state.withLock { state in
      state.noteCaller(.readsOffTheCaller, "read chunk \(state.chunksRead)")
      return state.unreadableChunk == state.chunksRead
    }
    if isUnreadable { throw Unreadable(what: "chunk \(read { $0.chunksRead })") }
  }

  func chunkRead() {
    ledger.chunkRead()
    change { $0.chunksRead += 1 }
  }

  func chunkReleased() {
    ledger.chunkReleased()
    parker.unpark()
  }
}

extension Stage.State {
  @discardableResult
  fileprivate mutating func noteCaller(_ rule: Rule, _ what: String) -> Bool {
    guard let callerThread, pthread_equal(callerThread, pthread_self()) != 0 else { return false }
    findings.append(
      Stage.Finding(rule: rule, seen: "\(what) on the calling thread", promised: "another thread"))
    return true
  }
}

/// The error of bytes that cannot be read, as the script wants it.
struct Unreadable: Error, Hashable, CustomStringConvertible {
  let what: String

  var description: String { "\(what) cannot be read" }
}

extension Scenario {
  /// The error of a request that the script refuses.
  func refusal(ofLedgerIndex index: Int, reason: String = "refused", isTransient: Bool = false) -> any Error {
    let subject = index / pattern.requestsPerUpload
    if pattern.looksUp, let detail = PostDetail(rawValue: subject) {
      return LookupFailure(detail: detail, reason: reason)
    }
    return UploadFailure(mediaIndex: subject, reason: reason, isTransient: isTransient)
  }
}
