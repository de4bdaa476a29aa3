import UploadScenario

extension Trial {
  /// A broken rule, with what there is to be seen at this moment.
  func problem(_ rule: Rule? = nil, seen: String? = nil, promised: String) -> Oracle.Problem {
    Oracle.Problem(rule ?? self.rule, seen: seen ?? sight, promised: promised)
  }

  private var sight: String {
    backend.read { state in
      var parts = ["\(state.inFlight) in flight"]
      if state.waiting.contains(where: { $0.ledgerIndex == nil }) { parts.append("the post under way") }
      parts.append(state.results.first.map { "completed with \(Oracle.describe($0))" } ?? "no completion")
      return parts.joined(separator: ", ")
    }
  }

  /// Waits for something that must come.
  func expect(
    _ what: String, rule: Rule = .ends, beforeTheEnd: Bool = false, _ condition: (Backend.State) -> Bool
  ) throws {
    let isThere = backend.wait(untilNanoseconds: check.timeoutAtNanoseconds) { state in
      condition(state) || beforeTheEnd && !state.results.isEmpty
    }
    guard isThere else {
      // Once something was left over, nothing asks for that any more: it does not make later waits hang.
      if rule != .nothingLeft { check.shortenTimeouts() }
      throw problem(rule, promised: what)
    }
    if beforeTheEnd, !backend.read(condition) { throw problem(.notEarly, promised: what) }
  }

  /// The call that waits at a place in the ledger (nil: the post), once it is there.
  func call(at index: Int?) throws -> HeldCall {
    let what = index.map { "\(scenario.requestName(at: $0)) in flight" } ?? "the post asked for"
    func find(_ state: Backend.State) -> HeldCall? { state.waiting.first { $0.ledgerIndex == index } }
    try expect(what, beforeTheEnd: true) { find($0) != nil }
    guard let call = backend.read(find) else { throw problem(.ends, promised: what) }
    return call
  }

  /// Waits until the job has in flight what it can have, no more and no less, or has asked for the post.
  func settle() throws {
    let (course, limit, ledger) = (course, scenario.mostUnderWay ?? .max, backend.ledger)
    func isSettled(_ state: Backend.State) -> Bool {
      if course.isDone { return state.waiting.contains { $0.ledgerIndex == nil } }
      return course.mayBeNarrower ? state.inFlight >= 1 : state.inFlight == course.inFlight
    }
    func isLost(_ state: Backend.State) -> Bool {
      !state.results.isEmpty || !course.isDone && state.postsAskedFor > 0 || ledger.peakInFlight > limit
    }
    _ = backend.wait(untilNanoseconds: check.timeoutAtNanoseconds) { isSettled($0) || isLost($0) }
    if ledger.peakInFlight > limit {
      throw problem(.limit, seen: "\(ledger.peakInFlight) in flight", promised: "at most \(limit)")
    }
    if backend.read({ !$0.results.isEmpty }) { throw problem(.notEarly, promised: "\(left) before that") }
    if !course.isDone, backend.read({ $0.postsAskedFor > 0 }) {
      throw problem(.postLast, seen: "the post asked for", promised: "\(left) before that")
    }
    if backend.read(isSettled) { return }
    check.shortenTimeouts()
    throw unsettled()
  }

  private func unsettled() -> Oracle.Problem {
    if course.isDone { return problem(.ends, promised: "the post asked for") }
    let inFlight = backend.read(\.inFlight)
    let tooMany: Rule =
      scenario.pattern.races ? .loserCancelled : scenario.mostUnderWay == nil ? .everyUpload : .limit
    let rule: Rule = inFlight == 0 ? .ends : inFlight < course.inFlight ? .limitUsed : tooMany
    return problem(rule, promised: "\(course.inFlight) in flight")
  }

  private var left: String {
    course.isDone
      ? "the post" : "\(course.count - course.done.count) more \(scenario.pattern.unit)s to arrive"
  }

  /// Lets everything arrive that is asked for, until the job ends by itself.
  func arriveUntilTheEnd() throws {
    while backend.read({ $0.results.isEmpty }) {
      try expect("the completion called") { !$0.results.isEmpty || !$0.calls.isEmpty }
      for call in backend.read({ $0.calls }) { backend.answer(call, .success(())) }
    }
  }

  /// Waits for the completion. Threads that are blocked in the service are let go meanwhile.
  func awaitCompletion(_ rule: Rule = .ends) throws {
    if scenario.pattern.blocksThreads { answerBlockedUntilTheEnd() }
    try expect("the completion called", rule: rule) { !$0.results.isEmpty }
  }

  private func answerBlockedUntilTheEnd() {
    func isOver(_ state: Backend.State) -> Bool { !state.results.isEmpty || state.postsAskedFor > 0 }
    while !backend.read(isOver) {
      let deadline = check.timeoutAtNanoseconds
      guard
        backend.wait(untilNanoseconds: deadline, { isOver($0) || $0.calls.contains(where: \.isBlocking) })
      else { return }
      for call in backend.read({ $0.calls.filter(\.isBlocking) }) { backend.answer(call, .success(())) }
    }
  }

  /// Waits until the completion has been let go, then the service with the handle, and every chunk.
  func awaitNothingLeft() throws {
    if scenario.pattern.blocksThreads { backend.answerBlocking() }
    if check.isKnown(.nothingLeft) { return }
    try expect("the completion let go while the handle is held", rule: .nothingLeft) { $0.isCompletionGone }
    dropHandle()
    try expect("the service let go with the handle", rule: .nothingLeft) { $0.isServiceGone }
    let ledger = backend.ledger
    try expect("every chunk freed", rule: .nothingLeft) { _ in ledger.chunksAlive == 0 }
  }

  /// Waits for the completion and holds all that was seen against what was promised.
  ///
  /// `isStable`: nothing was being started when the job was told to stop, so nothing may start from then on.
  func end(_ endings: [Ending], isStable: Bool = true) throws {
    var oracle = Oracle(
      backend, try Expectation(scenario: scenario, post: post, ending: .publication), endings: endings,
      startsAtTheStop: startsAtTheStop ?? backend.read { $0.starts.count }, isPostAllowed: course.isDone)
    // Where several threads block, one may begin while the news of a failure travels.
    oracle.isStable = isStable && (!scenario.pattern.blocksThreads || scenario.limit == 1)
    if rule.isSpecial { oracle.special = rule }
    try awaitCompletion(rule.isSpecial ? rule : endings[0].isStop ? endings[0].rule : .ends)
    let ending = try oracle.judgeEnd()
    try awaitNothingLeft()
    // What a service's threads have been given to answer may still be on its way.
    let ledger = backend.ledger
    _ = backend.wait(untilNanoseconds: check.timeoutAtNanoseconds) { _ in ledger.uploadsInFlight == 0 }
    try oracle.judgeRecord(ending)
  }

  func end(_ ending: Ending, isStable: Bool = true) throws { try end([ending], isStable: isStable) }
}
