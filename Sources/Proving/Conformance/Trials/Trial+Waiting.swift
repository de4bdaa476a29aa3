import UploadScenario

extension Trial {
  /// The script's own rule if it is a special one, else the one that all scripts try.
  private func own(_ general: Rule) -> Rule { rule.isSpecial && general.isVague ? rule : general }

  /// Reports a broken promise; throw what it returns.
  func broken(_ rule: Rule, seen: String? = nil, promised: String) -> Broken {
    examination.report(own(rule), scenario: text, seed: seed, seen: seen ?? sight, promised: promised)
    return Broken()
  }

  /// What there is to be seen at this moment.
  private var sight: String {
    stage.read { state in
      let waiting = state.calls.filter { !$0.isCancelled }
      var parts = ["\(waiting.count { $0.ledgerIndex != nil }) in flight"]
      if waiting.contains(where: { $0.ledgerIndex == nil }) { parts.append("the post under way") }
      parts.append(state.results.first.map { "completed with \(Self.describe($0))" } ?? "no completion")
      return parts.joined(separator: ", ")
    }
  }

  /// Waits for something that must come.
  func expect(
    _ what: String, rule: Rule = .ends, beforeTheEnd: Bool = false, _ condition: (Stage.State) -> Bool
  ) throws {
    let isThere = stage.wait(untilNanoseconds: examination.giveUpNanoseconds) { state in
      condition(state) || beforeTheEnd && !state.results.isEmpty
    }
    guard isThere else {
      // What is left over is asked for no more once it is known, so it says nothing about the waits to come.
      if rule != .nothingLeft { examination.losePatience() }
      throw broken(rule, promised: what)
    }
    if beforeTheEnd, !stage.read(condition) { throw broken(.notEarly, promised: what) }
  }

  /// Waits until the job has in flight what it can have, no more and no less, or has asked for the post.
  func settle() throws {
    let (course, limit, ledger) = (course, scenario.mostUnderWay ?? .max, stage.ledger)
    func isSettled(_ state: Stage.State) -> Bool {
      let waiting = state.calls.filter { !$0.isCancelled }
      if course.isDone { return waiting.contains { $0.ledgerIndex == nil } }
      let inFlight = waiting.count { $0.ledgerIndex != nil }
      return course.mayBeNarrower ? inFlight >= 1 : inFlight == course.inFlight
    }
    func isLost(_ state: Stage.State) -> Bool {
      !state.results.isEmpty || !course.isDone && state.postsAskedFor > 0 || ledger.peakInFlight > limit
    }
    _ = stage.wait(untilNanoseconds: examination.giveUpNanoseconds) { isSettled($0) || isLost($0) }
    if ledger.peakInFlight > limit {
      throw broken(.limit, seen: "\(ledger.peakInFlight) in flight", promised: "at most \(limit)")
    }
    if stage.read({ !$0.results.isEmpty }) { throw broken(.notEarly, promised: "\(left) before that") }
    if !course.isDone, stage.read({ $0.postsAskedFor > 0 }) {
      throw broken(.postLast, seen: "the post asked for", promised: "\(left) before that")
    }
    if stage.read(isSettled) { return }
    examination.losePatience()
    throw unsettled()
  }

  private func unsettled() -> Broken {
    if course.isDone { return broken(.ends, promised: "the post asked for") }
    let inFlight = stage.read { state in state.calls.count { $0.ledgerIndex != nil && !$0.isCancelled } }
    let tooMany: Rule =
      scenario.pattern.races
      ? .loserCancelled : scenario.mostUnderWay == nil ? .everyUpload : .limit
    let rule: Rule = inFlight == 0 ? .ends : inFlight < course.inFlight ? .limitUsed : tooMany
    return broken(rule, promised: "\(course.inFlight) in flight")
  }

  private var left: String {
    course.isDone
      ? "the post" : "\(course.count - course.done.count) more \(scenario.pattern.unit)s to arrive"
  }

  static func describe(_ result: Result<Publication, any Error>) -> String {
    switch result {
    case .success(let publication): "a publication of \(publication.receipts.count) receipts"
    case .failure(let error): "\(error)"
    }
  }
}
