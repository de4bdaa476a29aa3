import UploadScenario

/// Holds a finished job against what was promised: what its completion got, what its service saw, and when.
package struct Oracle {
  /// A rule that was broken, what was seen, and what was promised.
  package struct Problem: Error {
    package let rule: Rule
    let seen: String
    let promised: String
    /// The moment may have been a bad one: only what is seen every time counts.
    let isDoubtful: Bool

    package init(_ rule: Rule, seen: String, promised: String, isDoubtful: Bool = false) {
      self.rule = rule
      self.seen = seen
      self.promised = promised
      self.isDoubtful = isDoubtful
    }

    package var text: String { "seen \(seen), required \(promised)" }
  }

  let backend: Backend
  /// What must come of it when nothing fails.
  let expectation: Expectation
  /// How the job may end, the most likely first.
  let endings: [Ending]
  /// How many requests had been made when the job was told to stop, by a failure or a cancellation.
  let startsAtTheStop: Int
  /// Whether all uploads had arrived by then: the post may have been asked for.
  let isPostAllowed: Bool
  /// Whether nothing was being started when the job was told to stop: nothing may start from then on.
  var isStable = true
  /// The rule that a wrong end breaks; nil: the ending's own.
  var special: Rule?

  package init(
    _ backend: Backend, _ expectation: Expectation, endings: [Ending], startsAtTheStop: Int,
    isPostAllowed: Bool
  ) {
    (self.backend, self.expectation, self.endings) = (backend, expectation, endings)
    (self.startsAtTheStop, self.isPostAllowed) = (startsAtTheStop, isPostAllowed)
  }

  private var scenario: Scenario { backend.scenario }
  /// Whether nothing happens but what a schedule chooses: then a job that is published must have kept to its stop, too.
  private var isScheduled: Bool { backend.parker == nil }

  /// How the job has ended; throws the first problem with that, and with how it stopped.
  package func judgeEnd() throws(Problem) -> Ending {
    let result = backend.read { $0.results[0] }
    guard let ending = endings.first(where: { $0.matches(result) }) else {
      throw Problem(
        wrongEnd(result), seen: Self.describe(result),
        promised: endings.map(\.name).joined(separator: " or "))
    }
    if ending.kind == .publication, !isScheduled { return ending }
    try judgeStop(ending)
    return ending
  }

  private func wrongEnd(_ result: Result<Publication, any Error>) -> Rule {
    if endings[0].unit != nil, case .success = result { return .noPostAfterFailure }
    return special ?? endings[0].rule
  }

  private func judgeStop(_ ending: Ending) throws(Problem) {
    let isFailure = ending.kind != .cancellation
    let (starts, posts, uncancelled) = backend.read {
      ($0.starts.count, $0.postsAskedFor, $0.uncancelledAtTheEnd)
    }
    if isStable, starts > startsAtTheStop {
      throw Problem(
        isFailure ? .noStartAfterFailure : .cancellationStops,
        seen: "\(starts - startsAtTheStop) more \(scenario.pattern.unit)s started", promised: "none")
    }
    if posts > (isPostAllowed ? 1 : 0) {
      throw Problem(
        isFailure ? .noPostAfterFailure : .cancellationStops, seen: "\(posts) posts asked for",
        promised: isPostAllowed ? "one" : "none")
    }
    if isStable, let first = uncancelled.first {
      let name = first < 0 ? "the post" : scenario.requestName(at: first)
      throw Problem(
        isFailure ? .inFlightCancelled : .cancellationStops,
        seen: "\(name) neither answered nor cancelled when the completion was called",
        promised: "all in flight cancelled before that", isDoubtful: true)
    }
  }

  /// Holds the ledger against what was promised, once the service is quiet; throws the first difference.
  package func judgeRecord(_ ending: Ending) throws(Problem) {
    let results = backend.read { $0.results }
    if results.count != 1 {
      throw Problem(.exactlyOnce, seen: "the completion called \(results.count) times", promised: "once")
    }
    let expectation = expectation.with(
      ending: ending.kind, failing: ending.unit.map { [$0] } ?? [])
    for difference in expectation.differences(result: results[0], record: backend.ledger.record()) {
      guard let rule = rule(of: difference, ending) else { continue }
      throw Problem(rule, seen: "\(difference.subject): \(difference.got)", promised: difference.expected)
    }
  }

  private func rule(of difference: Expectation.Difference, _ ending: Ending) -> Rule? {
    switch difference.aspect {
    // How it ended has been judged; what is left here is what was published.
    case .result: ending.kind == .publication ? .publication : nil
    case .receipts: .order
    case .requests: .everyUpload
    // A post whose cancellation came too late exists.
    case .posts: ending.isStop && isPostAllowed ? nil : .onePost
    case .limit: .limit
    case .mediaUnderWay: .limitCoversPreparation
    case .chunksInMemory: .boundedChunks
    case .startsAfterCompletion: isStable ? ending.startRule : nil
    case .leftInFlight: .inFlightCancelled
    case .chunksLeft: .nothingLeft
    }
  }

  static func describe(_ result: Result<Publication, any Error>) -> String {
    switch result {
    case .success(let publication): "a publication of \(publication.receipts.count) receipts"
    case .failure(let error): "\(error)"
    }
  }
}
