import Dispatch
import RawThreads
import Synchronization
import UploadScenario

/// Runs one test case: starts the job, answers its requests, and waits for its end.
final class Player {
  private let play: Play
  private let check: PatternCheck
  private let isConfirming: Bool
  private let backend: Backend
  private let handle = HandleBox()
  private var generator: SeededGenerator
  private var company: [(backend: Backend, handle: HandleBox)] = []
  private let inner: Backend?
  private let innerHandle = HandleBox()
  private let expectation: Expectation
  private var isCancelled = false
  private var hasPaused = false

  /// Prepares a test case. `isConfirming`: whether an earlier run of it found a breach.
  init(_ play: Play, for check: PatternCheck, isConfirming: Bool) throws {
    (self.play, self.check, self.isConfirming) = (play, check, isConfirming)
    generator = SeededGenerator(seed: ~play.seed)
    func promise(_ post: Post) throws -> Expectation {
      try Expectation(scenario: play.scenario, post: post, ending: .publication)
    }
    expectation = try promise(play.makePost())
    if case .postedInside = play.stop {
      inner = Backend(try promise(play.scenario.makePost(1)))
    } else {
      inner = nil
    }
    backend = Backend(expectation, hooks: Self.hooks(of: play, handle, check, inner, innerHandle))
    // Half of the other posts equal the tested one, like a post that a user submits twice.
    for number in 0..<play.company {
      company.append((Backend(try promise(play.scenario.makePost(number % 2 * number))), HandleBox()))
    }
  }

  /// Runs the test case and returns the breaches in order, or `nil` if the machine delayed threads too much to decide.
  func breaches() -> [Breach]? {
    // A breach before a timeout explains the timeout, so the timeout is not reported.
    do throws(Breach) { try run() } catch {
      backend.change { if $0.breaches.isEmpty { $0.breaches = [error] } }
    }
    defer { tearDown() }
    let breaches = backend.breaches + company.flatMap(\.backend.breaches) + (inner?.breaches ?? [])
    let isOfDelay = breaches.contains { $0.rule == .hedge && $0.sightings > 1 }
    return isConfirming && isOfDelay && !backend.read(\.hasSleptInTime) ? nil : breaches
  }

  private func run() throws(Breach) {
    inner?.change { $0.threads = check.threads }
    for (other, handle) in company {
      other.change { $0.threads = check.threads }
      handle.set(other.start(check.contender))
    }
    if play.isFlood, !play.isHeldFirst { backend.change { $0.threads = check.threads } }
    if isConfirming, play.scenario.pattern.races { sleepThroughTheDelay() }
    try start()
    if play.dropsHandle { handle.clear() }
    try perform()
    try end()
    for (other, handle) in company { try awaitPublication(of: other, handle) }
    if let inner, inner.hasBegun { try awaitPublication(of: inner, innerHandle) }
  }

  private func start() throws(Breach) {
    // Another thread starts the job, because the job may block the thread that starts it.
    check.threads.submit { [backend, handle, contender = check.contender] in
      handle.set(backend.start(contender))
      backend.parker?.unpark()
    }
    guard wait({ [handle] _ in handle.isThere }) else {
      throw hung("the return of the call that starts the job")
    }
  }

  /// Measures whether the machine's timers are late: a Dispatch timer before the job, and a thread's sleep during the job.
  private func sleepThroughTheDelay() {
    guard play.longestTimer >= .milliseconds(15) else { return }
    let fired = Parker()
    let allowed = MonotonicClock.nanoseconds() + play.longestTimer.unsignedNanoseconds + 5_000_000
    DispatchQueue.global().asyncAfter(
      deadline: .now() + .nanoseconds(Int(play.longestTimer.unsignedNanoseconds))
    ) { fired.unpark() }
    fired.park()
    guard MonotonicClock.nanoseconds() < allowed else {
      return backend.change { $0.hasSleptInTime = false }
    }
    let due = MonotonicClock.nanoseconds() + play.longestTimer.unsignedNanoseconds
    check.threads.submit { [backend] in
      Parker().park(untilNanoseconds: due)
      let isInTime = MonotonicClock.nanoseconds() < due + 2_000_000
      backend.change { $0.hasSleptInTime = isInTime }
    }
  }

  private func perform() throws(Breach) {
    if play.isFlood { return play.isHeldFirst ? try flood() : () }
    if case .atWork(_, let reason) = play.stop { return try stopAtWork(reason) }
    if play.stop == .cancelled(after: 0, isAmid: true) { return cancel() }
    while true {
      try settle()
      // Gives the contender's threads time to receive the handles of their requests.
      if isConfirming, !play.isTimed { still(milliseconds: 2) }
      let model = backend.model
      if model.hasEnded || model.isStopping { return }
      if case .cancelled(let count, let isAmid) = play.stop, model.doneCount >= count,
        !isAmid || model.isAllDone
      {
        return cancel()
      }
      if model.isAllDone { return try answerPost() }
      try answerSome()
    }
  }

  /// Waits until as many requests as possible are in flight. Then several threads answer them and all later ones.
  private func flood() throws(Breach) {
    try settle()
    backend.change { $0.threads = check.threads }
    for call in backend.calls { check.threads.submit { [backend] in backend.answer(call, .success(())) } }
  }

  // MARK: Waiting for the contender

  /// Waits until the contender is idle. Throws a breach if there was one, such as a request above the limit.
  private func settle() throws(Breach) {
    guard wait({ $0.model.isSettled && $0.meanwhile == 0 || $0.model.isStopping }) else { throw unsettled() }
    let most = play.scenario.mostUnderWay ?? .max
    if play.scenario.pattern.blocksThreads, most < play.scenario.fanOut - backend.model.doneCount {
      // A contender may use fewer threads than the limit allows, so this only waits a short time for a request above the limit.
      let isFirst = backend.model.doneCount == 0
      if isFirst || !play.refused.isEmpty {
        _ = wait(until: MonotonicClock.nanoseconds() + 1_500_000) {
          $0.model.live > most || !isFirst && $0.model.live == most
        }
      }
    }
    if play.fillsBuffer, !backend.model.isStopping { try fillBuffer() }
    backend.notify { if $0.isSettled, !$0.isStopping { $0.quiet() } }
    if play.stillnessMilliseconds > 0, !hasPaused || SeededGenerator.unit(generator.next()) < 0.3 {
      hasPaused = true
      still(milliseconds: play.stillnessMilliseconds)
    }
    if let breach = backend.read(\.breaches.first) { throw breach }
  }

  private func fillBuffer() throws(Breach) {
    let scenario = play.scenario
    // A contender that reads chunks in batches may leave a quarter of the buffer empty.
    let count = min(scenario.uploaders + scenario.bufferCapacity * 3 / 4 - 1, scenario.fanOut)
    guard backend.read({ $0.asks <= scenario.uploaders && $0.model.doneCount == 0 }) else { return }
    guard scenario.bufferCapacity == 0 || wait({ $0.chunksRead >= count }) else {
      throw Breach(
        .readsAhead, seen: "\(backend.read { $0.chunksRead }) chunks read while all uploaders were busy",
        promised: "\(count) or more")
    }
    still(milliseconds: 2)
  }

  private func unsettled() -> Breach {
    let model = backend.model
    if model.isAllDone, model.losers == 0 { return hung("a call of createPost") }
    let rule: Promise =
      model.losers > 0
      ? .loserCancelled : model.live == 0 ? .ends : model.live < model.due ? .limitUsed : .loserCancelled
    return hung(
      model.losers > 0
        ? "the cancellation of \(model.losers.of("request")) that lost a race"
        : "\(model.due.of("request")) in flight",
      play.scenario.pattern.isSerial || play.scenario.pattern.blocksThreads ? .ends : rule)
  }

  private func hung(_ promised: String, _ rule: Promise = .ends) -> Breach {
    if let breach = backend.breaches.first { return breach }
    check.hangDetector.hung()
    let seen = backend.read { state in
      let end = state.result.map { "the completion called with \($0.text)" } ?? "no call of the completion"
      let post = state.model.isPostOpen ? ", createPost not answered" : ""
      return "the job hangs with \(state.model.live.of("request")) in flight\(post), \(end)"
    }
    return Breach(rule, seen: seen, promised: promised)
  }

  /// Waits for a condition, and answers cancelled requests meanwhile. Returns false at the time `end`, or after a breach or hang.
  private func wait(
    on other: Backend? = nil, until end: UInt64? = nil, _ condition: (Backend.State) -> Bool
  ) -> Bool {
    let backend = other ?? backend
    let times: UInt64 = play.scenario.fanOut > 1_000 ? 6 : 1
    var watch = check.hangDetector.watch(timer: play.longestTimer, times: times)
    // A contender may wait for the answers to cancelled requests, so these answers come after at most 2 ms.
    let lateAt = play.isLateAfterTheEnd ? MonotonicClock.nanoseconds() + 2_000_000 : 0
    while true {
      let isLate =
        play.isLateAfterTheEnd && MonotonicClock.nanoseconds() < lateAt && backend.read { $0.result == nil }
      if !isLate { backend.answerCancelled(play.late) }
      let (isThere, isBroken) = backend.read { (condition($0), !$0.breaches.isEmpty && $0.result == nil) }
      if isThere || isBroken && end == nil { return isThere }
      let (end, soon) = (end ?? .max, isLate ? lateAt : .max)
      guard watch.wait(on: backend.parker!, untilNanoseconds: min(end, soon)) || soon < end else {
        return backend.read { condition($0) }
      }
    }
  }

  // MARK: Answering requests

  private func answerSome() throws(Breach) {
    var (calls, asks) = backend.read { state in
      let calls = state.calls.compactMap { call in
        call.ledgerIndex.flatMap { index in
          call.isCancelled ? nil : (call: call, index: index)
        }
      }
      return (calls, state.asks)
    }
    calls.removeAll { play.fate(of: $0.call) == nil }
    if calls.isEmpty { return try awaitTimer(after: asks) }
    calls.sort { $0.index < $1.index }
    switch play.order {
    case .forward: break
    case .reverse: calls.reverse()
    case .shuffled: calls.shuffle(using: &generator)
    }
    let done = backend.model.doneCount
    if done < play.refusedAfter {
      // Uploads are refused last, unless no other request can be answered.
      let perUnit = play.scenario.pattern.requestsPerUpload
      let others = calls.filter { play.refused[$0.index / perUnit] == nil }
      if !others.isEmpty { calls = others }
    }
    var most = min(calls.count, play.mostAtOnce)
    // The job is cancelled after exactly `after` answers, so no more answers are given before.
    if case .cancelled(let after, false) = play.stop, done < after { most = min(most, after - done) }
    let isFull = play.onThreads && SeededGenerator.unit(generator.next()) < 0.5
    let count = most > 1 && !isFull ? Int.random(in: 1...most, using: &generator) : most
    try give(calls.prefix(count).compactMap { call in play.fate(of: call.call).map { (call.call, $0) } })
  }

  private func give(_ answers: [(HeldCall, Result<Void, any Error>)]) throws(Breach) {
    let isCancelledNow =
      if case .cancelled(let after, true) = play.stop, !isCancelled {
        backend.model.doneCount + answers.count > after
      } else { false }
    // Concurrent answers may reach the contender in any order.
    if isCancelledNow || answers.count > 1 { backend.notify { $0.unquiet() } }
    var bodies: [@Sendable () -> Void] = []
    for (number, (call, result)) in answers.enumerated() {
      // The first two answers are recorded here, so that their threads do nothing but call the contender.
      let delivery = play.onThreads && number < 2 ? backend.delivery(of: call, result) ?? {} : nil
      bodies.append { [backend] in
        if let delivery { delivery() } else { backend.answer(call, result) }
        backend.change { $0.delivered += 1 }
      }
    }
    if isCancelledNow {
      isCancelled = true
      bodies.insert(
        { [backend, handle] in
          backend.notify { $0.jobCancelled() }
          handle.cancel()
          backend.change { $0.delivered += 1 }
        }, at: Int.random(in: 0...bodies.count, using: &generator))
    }
    let expected = backend.read(\.delivered) + bodies.count
    if play.onThreads { check.threads.atOnce(bodies) } else { for body in bodies { body() } }
    guard wait({ $0.delivered >= expected }) || !backend.breaches.isEmpty else {
      throw hung("the return of the contender's callback, which the service called with an answer")
    }
  }

  /// Waits for a timer of the job, because no request can be answered now. Without timers, cancels the job.
  private func awaitTimer(after asks: Int) throws(Breach) {
    guard play.isTimed else { return cancel() }
    guard wait({ $0.asks > asks || $0.result != nil || $0.model.isStopping }) else {
      throw hung("another request, or the job's end")
    }
  }

  private func answerPost() throws(Breach) {
    guard let call = backend.read({ state in state.calls.first { $0.ledgerIndex == nil && !$0.isCancelled } })
    else { return }
    if play.stop == .postCancelled {
      cancel()
      if !wait({ _ in call.isCancelled }) {
        throw hung("a cancellation of the request for the post", .cancelledPost)
      }
    } else if let result = play.fate(of: call) {
      try give([(call, result)])
    }
  }

  private func cancel() {
    isCancelled = true
    backend.notify { $0.jobCancelled() }
    handle.cancel()
    if play.seed % 2 == 0 { handle.cancel() }
  }

  // MARK: The end of the job

  private func end() throws(Breach) {
    let isBlocking = play.scenario.pattern.blocksThreads
    if isBlocking, backend.model.isStopping { answerBlocked() }
    guard wait({ $0.result != nil }) else {
      if let breach = backend.read(\.breaches.first) { throw breach }
      let model = backend.model
      throw hung(
        "a call of the completion",
        model.reasons.first.map(model.rule) ?? (play.scenario.retry.deadline == nil ? .ends : .deadline))
    }
    if play.stop == .cancelledLate {
      handle.cancel()
      handle.cancel()
    }
    if isBlocking { backend.answerBlocking() }
    if let breach = backend.breaches.first { throw breach }
    try awaitNothingLeft()
    if let breach = backend.breaches.first { throw breach }
    guard let result = backend.read(\.result) else { return }
    let record = backend.ledger.record()
    if let breach = backend.model.breaches(of: record, result, promise: expectation).first { throw breach }
  }

  private func answerBlocked() {
    letSettle()
    guard play.late == .fails else { return backend.answerBlocking() }
    backend.answerBlocking { [play] call in
      .failure(play.scenario.refusal(ofLedgerIndex: call.ledgerIndex ?? 0, reason: "refused late"))
    }
  }

  /// Waits until all threads sleep and Dispatch's queues are empty, so that the contender has processed all events.
  private func letSettle() {
    var (probes, stillness) = ([DispatchProbe](), Stillness())
    for _ in 0..<20 {
      still(milliseconds: 2)
      guard stillness.isThere(), probes.allSatisfy(\.isThrough) else { continue }
      if probes.count == 2 { return backend.notify { $0.quiet() } }
      probes.append(DispatchProbe())
    }
  }

  /// Stops the job while the test holds up the preparation of a media file or the read of a chunk.
  private func stopAtWork(_ reason: Play.AtWork) throws(Breach) {
    guard wait({ !$0.heldWork.isEmpty || $0.result != nil }) else {
      throw hung("the preparation or read of media file or chunk \(backend.hooks.heldWork ?? 0)")
    }
    defer { backend.releaseWork() }
    if reason == .unreadable { return settleAtWork() }
    still(milliseconds: 1)
    if let call = backend.read({ $0.calls.first { $0.ledgerIndex != nil } }), reason == .refused,
      let index = call.ledgerIndex
    {
      let others = backend.model.live - 1
      try elsewhere("the contender's callback") { [backend, play] in
        backend.answer(call, .failure(play.scenario.refusal(ofLedgerIndex: index)))
      }
      still(milliseconds: 2)
      if others > 0, backend.model.live == 0 { letSettle() }
    } else {
      isCancelled = true
      backend.notify { $0.jobCancelled() }
      try elsewhere("cancel()") { [handle] in handle.cancel() }
      letSettle()
    }
  }

  /// Waits until only the held preparation or read is left. For chunks, waits only until as many as possible are in flight.
  private func settleAtWork() {
    guard play.scenario.pattern.isChunked, case .atWork(let chunk, _) = play.stop else { return letSettle() }
    let most = min(chunk, play.scenario.uploaders)
    guard wait(until: MonotonicClock.nanoseconds() + 40_000_000, { $0.model.live >= most }) else { return }
    still(milliseconds: 2)
    backend.notify { $0.quiet() }
  }

  /// Runs a body on another thread. Throws a breach if the body waits for the preparation or read that the test holds up.
  private func elsewhere(_ what: String, _ body: @escaping @Sendable () -> Void) throws(Breach) {
    let expected = backend.read(\.delivered) + 1
    check.threads.submit { [backend] in
      body()
      backend.change { $0.delivered += 1 }
    }
    if !wait({ $0.delivered >= expected }), backend.breaches.isEmpty {
      throw hung("the return of \(what) while a media file or chunk is prepared or read", .reentrancy)
    }
  }

  private func still(milliseconds: Int) {
    let end = MonotonicClock.nanoseconds() + UInt64(milliseconds) * 1_000_000
    _ = wait(until: end, { _ in false })
  }

  /// Waits until the completion is released, then drops the handle and waits until the service is released.
  private func awaitNothingLeft() throws(Breach) {
    func expect(_ left: String, _ promised: String, _ condition: (Backend.State) -> Bool) throws(Breach) {
      if !wait(condition) {
        if let breach = backend.breaches.first { throw breach }
        let live = backend.model.live
        if live > 0 {
          throw Breach(
            backend.model.reasons.first?.kind == .cancellation ? .cancellationStops : .inFlightCancelled,
            seen: "\(live.of("request")) neither answered nor cancelled after the job's end",
            promised: "all cancelled")
        }
        check.hangDetector.hung()
        throw Breach(.nothingLeft, seen: "\(left) still retained after the job's end", promised: promised)
      }
    }
    let (backend, ledger) = (backend, backend.ledger)
    // If a leak is already known, this waits only until cancelled requests are answered.
    if check.isKnown(.nothingLeft) {
      _ = wait { ledger.uploadsInFlight == 0 || $0.model.live > 0 }
      return
    }
    try expect("the completion", "its release, even if the caller keeps the job's handle") {
      $0.isCompletionGone && ledger.uploadsInFlight == 0
    }
    handle.clear()
    try expect("the service, a chunk or a request's handle", "its release with the job's handle") {
      $0.isServiceGone && ledger.chunksAlive == 0 && backend.isAllGivenBack
    }
  }

  private func awaitPublication(of other: Backend, _ handle: HandleBox) throws(Breach) {
    _ = wait(on: other) { $0.result != nil }
    if let breach = other.read({ $0.breaches.first }) { throw breach }
    handle.clear()
    guard wait(on: other, { $0.isServiceGone && $0.isCompletionGone }), case .success? = other.read(\.result)
    else {
      throw Breach(
        .manyPosts,
        seen: other.read { "a concurrent post: \($0.result?.text ?? "no call of the completion")" },
        promised: "a publication of that post, then the release of the post's completion and service")
    }
  }

  private func tearDown() {
    handle.cancel()
    handle.clear()
    for backend in [backend, inner].compactMap(\.self) + company.map(\.backend) {
      backend.release(on: check.threads)
    }
    // Gives a contender that leaks time to finish, so that it does not disturb the next test case.
    let end = MonotonicClock.nanoseconds() + 20_000_000
    _ = wait(until: end) { $0.isServiceGone }
  }

  private static func hooks(
    of play: Play, _ handle: HandleBox, _ check: PatternCheck, _ inner: Backend?,
    _ innerHandle: HandleBox
  ) -> Backend.Hooks {
    let (threads, contender) = (check.threads, check.contender)
    // Once a test case has found a deadlock, no other test case provokes it again.
    let isReentrancyKnown = check.isKnown(.reentrancy)
    var hooks = Backend.Hooks()
    hooks.unreadable = play.unreadable
    if case .atWork(let unit, let reason) = play.stop {
      hooks.heldWork = unit
      if reason == .unreadable { hooks.unreadable = unit }
    }
    hooks.workMilliseconds = { play.workMilliseconds(of: $0) }
    hooks.side = { threads.side.perform(within: $0, $1) }
    hooks.cancelled = play.endsBeforeCancelReturns ? play.late : nil
    if play.meanwhile > 0, !isReentrancyKnown { hooks.meanwhile = { play.answerMeanwhile($0, others: $1) } }
    let player = SideThread.current
    if case .postedInside(let number) = play.stop, let inner {
      // A contender that holds a lock deadlocks here, so this must not run on the thread that runs the test case.
      hooks.inside = {
        if $1 == number, SideThread.current != player, !inner.hasBegun {
          innerHandle.set(inner.start(contender))
        }
      }
    }
    let inside: (number: Int, fromElsewhere: Bool)? =
      if case .cancelledInside(let number, let fromElsewhere) = play.stop {
        (number, fromElsewhere)
      } else {
        play.cancelsAtTheEnd ? (.max, true) : nil
      }
    if let inside, !inside.fromElsewhere || !isReentrancyKnown {
      hooks.inside = { backend, current in
        guard current == inside.number, handle.isThere else { return }
        // Cancels only at the first completion, because a faulty job may complete again at each cancellation, without end.
        guard current != .max || backend.read({ $0.model.ends }) == 1 else { return }
        if current != .max {
          backend.notify {
            // On another thread, the cancellation is concurrent with other answers.
            if SideThread.current != player { $0.unquiet() }
            $0.jobCancelled()
          }
        }
        guard inside.fromElsewhere else { return handle.cancel() }
        let parker = Parker()
        threads.submit {
          handle.cancel()
          parker.unpark()
        }
        if !parker.park(untilNanoseconds: MonotonicClock.nanoseconds() + 150_000_000) {
          let breach = Breach(
            .reentrancy,
            seen: "cancel() waits for \(current == .max ? "the completion" : "a request") to return",
            promised: "an immediate return", mayBeTheMachine: true)
          backend.change { $0.breaches.append(breach) }
        }
      }
    }
    return hooks
  }
}

/// The handle of a job, which several threads use.
final class HandleBox: Sendable {
  private let handle = Mutex<(any Cancellable)?>(nil)

  var isThere: Bool { handle.withLock { $0 != nil } }
  func set(_ value: any Cancellable) { handle.withLock { $0 = value } }
  // The handle is released after the unlock, since its `deinit` may run any code.
  func clear() { _ = handle.withLock { $0.take() } }
  func cancel() { handle.withLock { $0 }?.cancel() }
}
