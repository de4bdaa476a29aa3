import UploadScenario

/// One job under one schedule: everything that happens, happens because it was chosen here.
final class Run {
  /// Something that may happen next.
  private enum Event {
    case answer(Int, (any Error)?)
    case answerPost((any Error)?)
    case step(Int)
    case advanceClock
    case cancel
  }

  private final class Token: Sendable {}

  private let shape: Shape
  private let steps: any Steps
  private var choices: Choices
  private var service: SteppedService?
  private var handle: (any Cancellable)?
  private let outcome = Outcome()
  private var failures = 0
  private var isCancelled = false
  /// The errors that the job may end with, the first that came first.
  private var reasons: [any Error] = []
  /// The errors that it may end with as well, but need not: they came when it was perhaps too late for them.
  private var lateReasons: [any Error] = []
  /// How many requests had been made when the job had taken in that it is to end.
  private var startsWhenSettled: Int?
  /// What was done so far, for a reader.
  private(set) var log: [String] = []

  init(_ shape: Shape, _ steps: any Steps, _ choices: Choices) {
    self.shape = shape
    self.steps = steps
    self.choices = choices
  }

  var taken: Choices { choices }

  /// Runs it to its end; returns what was promised and not kept, nil if all was.
  func problem(of contender: any Contender) -> String? {
    steps.perform {
      play(contender)
      handle = nil
      service = nil
      if found == nil, token != nil { found = "the completion is still held after the job has ended" }
      if found == nil, remembered != nil { found = "the service is still held after the job has ended" }
    }
    return found
  }

  private var found: String?
  private weak var token: Token?
  private weak var remembered: SteppedService?

  private func play(_ contender: any Contender) {
    let failing = shape.scenario.pattern.blocksThreads ? choices.choose(of: shape.scenario.photos + 1) : nil
    let service = SteppedService(chunkBytes: shape.scenario.chunkBytes, failingMedia: failing)
    self.service = service
    if let failing, failing < shape.scenario.photos {
      reasons.append(UploadFailure(mediaIndex: failing, reason: "refused"))
    }
    remembered = service
    do {
      let held = Token()
      token = held
      let outcome = outcome
      handle = contender.start(shape.scenario, post: shape.post, service: service) { [weak service] result in
        outcome.add(result, uncancelled: service?.uncancelled ?? 0)
        withExtendedLifetime(held) {}
      }
    }
    settle()
    var count = 0
    while outcome.results.isEmpty, found == nil {
      let events = events(service)
      guard !events.isEmpty else { return found = "it hangs: no completion, and nothing is left to happen" }
      count += 1
      if count > 2_000 { return found = "it never ends" }
      happen(events[choices.choose(of: events.count)], service)
    }
    drain(service)
    if found == nil { found = judge(service) }
  }

  private func events(_ service: SteppedService) -> [Event] {
    var events: [Event] = []
    for (index, call) in service.held.enumerated() {
      events.append(.answer(index, nil))
      if call.isCancelled {
        events.append(.answer(index, CancellationError()))
      } else if failures < shape.mostFailures, let error = failure(of: call.request) {
        events.append(.answer(index, error))
      }
    }
    if let post = service.post {
      events.append(.answerPost(nil))
      if post.isCancelled {
        events.append(.answerPost(CancellationError()))
      } else if failures < shape.mostFailures {
        events.append(.answerPost(UploadFailure(mediaIndex: -1, reason: "post refused")))
      }
    }
    for index in 0..<steps.readyCount { events.append(.step(index)) }
    // An answer that is there counts, however late the one who waits for it gets to run: where deadlines decide about
    // answers, time passes only when nothing can go on.
    let standsStill = shape.scenario.pattern.retries && steps.readyCount > 0
    if steps.timerCount > 0, !standsStill { events.append(.advanceClock) }
    if shape.mayCancel, !isCancelled { events.append(.cancel) }
    return events
  }

  private func failure(of request: Request) -> (any Error)? {
    if case .issueURL = request { return nil }
    return request.failure(
      reason: "refused", isTransient: shape.scenario.pattern.retries && failures == 0)
  }

  private func happen(_ event: Event, _ service: SteppedService) {
    switch event {
    case .answer(let index, let error):
      let call = service.held[index]
      log.append("\(call.request.ledgerIndex) \(error.map { "\($0)" } ?? "arrives")")
      if let error, !call.isCancelled {
        failures += 1
        note(error, of: call.request, service)
      }
      service.answer(at: index, error)
    case .answerPost(let error):
      log.append("post \(error.map { "\($0)" } ?? "created")")
      if let error {
        failures += 1
        reasons = [error] + reasons
      }
      service.answerPost(error)
    case .step(let index):
      log.append("step \(index)")
      steps.runReady(at: index)
    case .advanceClock:
      log.append("clock")
      steps.advanceClock()
    case .cancel:
      log.append("cancel")
      isCancelled = true
      if startsWhenSettled == nil { reasons.append(CancellationError()) }
      handle?.cancel()
      handle?.cancel()
    }
    settle()
  }

  /// A request failed: is that the end of the job?
  private func note(_ error: any Error, of request: Request, _ service: SteppedService) {
    guard startsWhenSettled == nil else { return }
    switch shape.scenario.pattern.requests {
    case .mirrors:
      failedMirrors[request.subjectIndex, default: 0] += 1
      if failedMirrors[request.subjectIndex] == 2 {
        reasons.append(RaceFailure(mediaIndex: request.subjectIndex, primary: error, secondary: error))
      }
    case .attempts:
      let isLast = service.starts[request.ledgerIndex, default: 0] >= shape.scenario.retry.attempts
      guard isLast || !RetryPolicy.isTransient(error) else { return }
      // What is ready to go on may be someone whose attempt has just run out of time.
      if steps.readyCount == 0 { reasons.append(error) } else { lateReasons.append(error) }
    case .one, .urlThenUpload: reasons.append(error)
    }
  }

  private var failedMirrors: [Int: Int] = [:]

  /// Once nothing is ready to go on, the job has taken in what has happened.
  private func settle() {
    guard steps.readyCount == 0, !reasons.isEmpty, startsWhenSettled == nil else { return }
    startsWhenSettled = service?.startCount
  }

  /// What was cancelled is answered, and what is ready runs, so that nothing has a reason to stay.
  private func drain(_ service: SteppedService) {
    while true {
      if !service.held.isEmpty {
        service.answer(at: 0, CancellationError())
      } else if service.post != nil {
        service.answerPost(CancellationError())
      } else if steps.readyCount > 0 {
        steps.runReady(at: 0)
      } else {
        return
      }
    }
  }

  private func judge(_ service: SteppedService) -> String? {
    guard outcome.results.count == 1 else {
      return "the completion was called \(outcome.results.count) times"
    }
    if let problem = resultProblem(outcome.results[0], service) { return problem }
    if outcome.uncancelled > 0 {
      return
        "\(outcome.uncancelled) requests were neither answered nor cancelled when the completion was called"
    }
    if let settled = startsWhenSettled, service.startCount > settled {
      return "\(service.startCount - settled) requests were made after the job was to end"
    }
    if service.posts.count > 1 { return "\(service.posts.count) posts were asked for" }
    if steps.timerCount > 0 { return "\(steps.timerCount) timers are left" }
    if service.ledger.chunksAlive > 0 { return "\(service.ledger.chunksAlive) chunks are left" }
    return boundProblem(service)
  }

  private func boundProblem(_ service: SteppedService) -> String? {
    let scenario = shape.scenario
    if let limit = shape.expectation.limit, service.mostHeld > limit, !scenario.pattern.prepares {
      return "\(service.mostHeld) requests were in flight, at most \(limit) may be"
    }
    if scenario.pattern.prepares, let limit = scenario.limit, reasons.isEmpty, service.mostChains > limit {
      return "\(service.mostChains) media were under way, at most \(limit) may be"
    }
    let bound = max(1, scenario.bufferCapacity) + scenario.uploaders
    let peak = service.ledger.record().peakChunks
    return peak > bound ? "\(peak) chunks were in memory, at most \(bound) may be" : nil
  }

  private func resultProblem(_ result: Result<Publication, any Error>, _ service: SteppedService) -> String? {
    switch result {
    case .success(let publication):
      if let reason = reasons.first(where: { !($0 is CancellationError) }) {
        return "a publication although \(reason)"
      }
      return publication.receipts == shape.expectation.receipts
        ? nil : "receipts of \(publication.receipts.map(\.mediaIndex)) instead of the post's"
    case .failure(let error):
      if Self.isTimeout(error), shape.scenario.pattern.retries { return timeoutProblem(error, service) }
      return (reasons + lateReasons).contains { Self.isSame($0, error) }
        ? nil
        : "the error \(error), where \(reasons.map { "\($0)" }.joined(separator: " or ")) was the reason"
    }
  }

  private static func isTimeout(_ error: any Error) -> Bool {
    error is AttemptTimedOut || error is DeadlineExceeded
  }

  /// Only the clock can be the reason of these.
  private func timeoutProblem(_ error: any Error, _ service: SteppedService) -> String? {
    guard log.contains("clock") else { return "\(error) although no time has passed" }
    guard let timeout = error as? AttemptTimedOut else { return nil }
    let attempts = service.starts[timeout.mediaIndex, default: 0]
    return attempts == shape.scenario.retry.attempts ? nil : "\(error) after \(attempts) attempts"
  }

  private static func isSame(_ reason: any Error, _ error: any Error) -> Bool {
    if let reason = reason as? RaceFailure, let error = error as? RaceFailure {
      return reason.mediaIndex == error.mediaIndex
    }
    return "\(reason)" == "\(error)"
  }
}

/// What the completion was called with.
private final class Outcome: @unchecked Sendable {
  // Invariant: one thread alone explores.
  private(set) var results: [Result<Publication, any Error>] = []
  private(set) var uncancelled = 0

  func add(_ result: Result<Publication, any Error>, uncancelled: Int) {
    if results.isEmpty { self.uncancelled = uncancelled }
    results.append(result)
  }
}
