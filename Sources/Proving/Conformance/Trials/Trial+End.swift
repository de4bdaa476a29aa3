import UploadScenario

extension Trial {
  /// Waits for the completion and holds all that was seen against what was promised.
  ///
  /// `isStable`: nothing was being started when the job was told to stop, so nothing may start from then on.
  func end(_ endings: [Ending], isStable: Bool = true) throws {
    let isDoneBefore = course.isDone
    let startsBefore = startsAtTheStop ?? stage.read { $0.starts.count }
    try awaitCompletion(rule.isSpecial ? rule : endings[0].isStop ? endings[0].rule : .ends)
    let result = stage.read { $0.results[0] }
    guard let ending = endings.first(where: { $0.matches(result) }) else {
      throw broken(
        wrongEnd(endings[0], result), seen: Self.describe(result),
        promised: endings.map(\.name).joined(separator: " or "))
    }
    // Where several threads block, one may begin while the news of a failure travels.
    let isStable = isStable && (!scenario.pattern.blocksThreads || scenario.limit == 1)
    if case .published = ending {
    } else {
      try judgeStop(ending, startsBefore: startsBefore, isPostAllowed: isDoneBefore, isStable: isStable)
    }
    try awaitNothingLeft()
    try judgeRecord(ending, isStable: isStable)
  }

  func end(_ ending: Ending, isStable: Bool = true) throws { try end([ending], isStable: isStable) }

  /// Waits for the completion. Threads that are blocked in the service are let go meanwhile.
  func awaitCompletion(_ rule: Rule = .ends) throws {
    if scenario.pattern.blocksThreads { releaseBlocked() }
    try expect("the completion called", rule: rule) { !$0.results.isEmpty }
  }

  private func releaseBlocked() {
    func isOver(_ state: Stage.State) -> Bool { !state.results.isEmpty || state.postsAskedFor > 0 }
    while !stage.read(isOver) {
      let deadline = examination.giveUpNanoseconds
      guard stage.wait(untilNanoseconds: deadline, { isOver($0) || $0.calls.contains(where: \.isBlocking) })
      else { return }
      for call in stage.read({ $0.calls.filter(\.isBlocking) }) { stage.answer(call, .success(())) }
    }
  }

  private func wrongEnd(_ ending: Ending, _ result: Result<Publication, any Error>) -> Rule {
    if case (.failed(.some, _), .success) = (ending, result) { return .noPostAfterFailure }
    return rule.isSpecial ? rule : ending.rule
  }

  private func judgeStop(
    _ ending: Ending, startsBefore: Int, isPostAllowed: Bool, isStable: Bool
  ) throws {
    let isFailure = if case .cancelled = ending { false } else { true }
    let (starts, posts, uncancelled) = stage.read {
      ($0.starts.count, $0.postsAskedFor, $0.uncancelledAtTheEnd)
    }
    if isStable, starts > startsBefore {
      throw broken(
        isFailure ? .noStartAfterFailure : .cancellationStops,
        seen: "\(starts - startsBefore) more \(scenario.pattern.unit)s started", promised: "none")
    }
    if posts > (isPostAllowed ? 1 : 0) {
      throw broken(
        isFailure ? .noPostAfterFailure : .cancellationStops, seen: "\(posts) posts asked for",
        promised: "none")
    }
    if isStable, let first = uncancelled.first {
      let name = first < 0 ? "the post" : scenario.requestName(at: first)
      throw Doubt(
        rule: isFailure ? .inFlightCancelled : .cancellationStops,
        seen: "\(name) neither answered nor cancelled when the completion was called",
        promised: "all in flight cancelled before that")
    }
  }

  /// Waits until the completion has been let go, then the service with the handle, and every chunk.
  func awaitNothingLeft() throws {
    if scenario.pattern.blocksThreads { stage.answerBlockedInline() }
    if examination.isKnown(.nothingLeft) { return }
    try expect("the completion let go while the handle is held", rule: .nothingLeft) { $0.isTokenGone }
    dropHandle()
    try expect("the service let go with the handle", rule: .nothingLeft) { $0.isServiceGone }
    let ledger = stage.ledger
    try expect("every chunk freed", rule: .nothingLeft) { _ in ledger.chunksAlive == 0 }
  }

  private func judgeRecord(_ ending: Ending, isStable: Bool) throws {
    let count = stage.read { $0.results.count }
    if count != 1 {
      throw broken(.exactlyOnce, seen: "the completion called \(count) times", promised: "once")
    }
    // What a service's threads have been given to answer may still be on its way.
    let ledger = stage.ledger
    _ = stage.wait(untilNanoseconds: examination.giveUpNanoseconds) { _ in ledger.uploadsInFlight == 0 }
    let expectation = try Expectation(
      scenario: scenario, post: post, ending: ending.expectation, failing: ending.failing)
    let result = stage.read { $0.results[0] }
    for difference in expectation.differences(result: result, record: ledger.record()) {
      guard let rule = self.rule(of: difference, ending, isStable: isStable) else { continue }
      throw broken(rule, seen: "\(difference.subject): \(difference.got)", promised: difference.expected)
    }
  }

  private func rule(of difference: Expectation.Difference, _ ending: Ending, isStable: Bool) -> Rule? {
    switch difference.aspect {
    // How it ended has been judged; what is left here is what was published.
    case .result: if case .published = ending { .publication } else { nil }
    case .receipts: .order
    case .requests: .everyUpload
    // A post whose cancellation came too late exists.
    case .posts: if case .cancelled = ending, course.isDone { nil } else { .onePost }
    case .limit: .limit
    case .mediaUnderWay: .limitCoversPreparation
    case .chunksInMemory: .boundedChunks
    case .startsAfterCompletion: isStable ? ending.startRule : nil
    case .leftInFlight: .inFlightCancelled
    case .chunksLeft: .nothingLeft
    }
  }

  /// What the service saw, and nobody else could.
  func judgeFindings() {
    for finding in stage.read({ $0.findings }) {
      examination.report(
        finding.rule, scenario: text, seed: seed, seen: finding.seen, promised: finding.promised)
    }
  }
}

extension Ending {
  fileprivate var startRule: Rule {
    switch self {
    case .published: .everyUpload
    case .cancelled: .cancellationStops
    case .failed, .deadline: .noStartAfterFailure
    }
  }
}
