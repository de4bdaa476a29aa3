import Conformance
import UploadScenario

/// One job under one schedule: everything that happens, happens because it was chosen here.
final class ScheduledRun {
  /// Something that may happen next.
  private enum Event {
    case answer(HeldCall, (any Error)?)
    case step(Int)
    case advanceClock
    case cancel
  }

  private let scenario: Scenario
  private let expectation: Expectation
  private let backend: Backend
  private let steps: any Steps
  private(set) var choices: Choices
  private var course: Course
  private var handle: (any Cancellable)?
  private var failures = 0
  private var isCancelled = false
  /// How the job may end because of what was answered or cancelled.
  private var endings: [Ending] = []
  /// How it may end as well, but need not: the reason came when it was perhaps too late for it.
  private var lateEndings: [Ending] = []
  /// How many requests had been made when the job had taken in that it is to end.
  private var startsWhenSettled: Int?
  /// What was done so far, for a reader.
  private(set) var log: [String] = []

  init(_ expectation: Expectation, _ steps: any Steps, _ choices: Choices) {
    scenario = expectation.scenario
    self.expectation = expectation
    self.steps = steps
    self.choices = choices
    course = Course(scenario)
    var refused: Int?
    if scenario.pattern.blocksThreads {
      // Nothing happens while a call blocks: which one fails is chosen before. The last choice is none of them.
      let choice = self.choices.choose(of: scenario.photos + 1)
      refused = choice < scenario.photos ? choice : nil
    }
    backend = Backend(scenario, isScheduled: true) {
      $0.answersBlocking = true
      $0.refusedIndex = refused
    }
    if let refused { endings = [.failed(refused, scenario.refusal(ofLedgerIndex: refused))] }
  }

  /// Runs it to its end; returns the first rule that was broken, nil if none was.
  func problem(of contender: any Contender) -> Oracle.Problem? {
    var problem: Oracle.Problem?
    steps.perform {
      do throws(Oracle.Problem) { try play(contender) } catch { problem = error }
    }
    return problem
  }

  private func play(_ contender: any Contender) throws(Oracle.Problem) {
    defer { drain() }
    handle = backend.start(contender, expectation.post)
    settle()
    var count = 0
    while backend.read({ $0.results.isEmpty }) {
      let events = events()
      count += 1
      guard !events.isEmpty, count <= 2_000 else {
        throw Oracle.Problem(
          .ends, seen: events.isEmpty ? "nothing is left to happen" : "\(count) steps without an end",
          promised: "the completion called")
      }
      happen(events[choices.choose(of: events.count)])
    }
    drain()
    try judge()
  }

  private func events() -> [Event] {
    var events: [Event] = []
    for call in backend.read({ $0.calls }) {
      events.append(.answer(call, nil))
      if call.isCancelled {
        events.append(.answer(call, CancellationError()))
      } else if failures < mostFailures {
        events.append(.answer(call, refusal(of: call)))
      }
    }
    for index in 0..<steps.readyCount { events.append(.step(index)) }
    // An answer that is there counts, however late the one who waits for it gets to run: where deadlines decide about
    // answers, time passes only when nothing can go on.
    let standsStill = scenario.pattern.retries && steps.readyCount > 0
    if steps.timerCount > 0, !standsStill { events.append(.advanceClock) }
    if !isCancelled { events.append(.cancel) }
    return events
  }

  /// How many requests may fail.
  private var mostFailures: Int { scenario.pattern.races || scenario.pattern.retries ? 2 : 1 }

  private func refusal(of call: HeldCall) -> any Error {
    guard let index = call.ledgerIndex else { return UploadFailure(mediaIndex: -1, reason: "post refused") }
    return scenario.refusal(ofLedgerIndex: index, isTransient: scenario.pattern.retries && failures == 0)
  }

  private func happen(_ event: Event) {
    switch event {
    case .answer(let call, let error):
      let name = call.ledgerIndex.map { "\($0)" } ?? "post"
      log.append("\(name) \(error.map { "\($0)" } ?? "arrives")")
      if let error {
        if !call.isCancelled { note(error, of: call) }
      } else if let index = call.ledgerIndex {
        course.succeeded(at: index)
      }
      backend.answer(call, error.map { .failure($0) } ?? .success(()))
    case .step(let index):
      log.append("step \(index)")
      steps.runReady(at: index)
    case .advanceClock:
      log.append("clock")
      steps.advanceClock()
    case .cancel:
      log.append("cancel")
      isCancelled = true
      if startsWhenSettled == nil { endings.append(.cancelled) }
      handle?.cancel()
      handle?.cancel()
    }
    settle()
  }

  /// A request fails: is that the end of the job?
  private func note(_ error: any Error, of call: HeldCall) {
    failures += 1
    guard let index = call.ledgerIndex else { return endings.insert(.failed(nil, error), at: 0) }
    guard let ending = course.failed(at: index, error, attempt: starts(at: index)), startsWhenSettled == nil
    else { return }
    // What is ready to go on may be someone whose attempt has just run out of time.
    if scenario.pattern.retries, steps.readyCount > 0 {
      lateEndings.append(ending)
    } else {
      endings.append(ending)
    }
  }

  private func starts(at index: Int) -> Int {
    backend.read { state in state.starts.count { $0.index == index } }
  }

  /// Once nothing is ready to go on, the job has taken in what has happened.
  private func settle() {
    guard steps.readyCount == 0, !endings.isEmpty, startsWhenSettled == nil else { return }
    startsWhenSettled = backend.read { $0.starts.count }
  }

  /// What was cancelled is answered, and what is ready runs, so that nothing has a reason to stay.
  private func drain() {
    while true {
      if let call = backend.read({ $0.calls.first }) {
        backend.answer(call, .failure(CancellationError()))
      } else if steps.readyCount > 0 {
        steps.runReady(at: 0)
      } else {
        return
      }
    }
  }

  private func judge() throws(Oracle.Problem) {
    let oracle = Oracle(
      backend, expectation, endings: possibleEndings, startsAtTheStop: startsWhenSettled ?? .max,
      isPostAllowed: course.isDone || scenario.pattern.blocksThreads)
    try oracle.judgeRecord(try oracle.judgeEnd())
    handle = nil
    let (isCompletionGone, isServiceGone) = backend.read { ($0.isCompletionGone, $0.isServiceGone) }
    if steps.timerCount > 0 || !isCompletionGone || !isServiceGone {
      let left = [
        isCompletionGone ? nil : "the completion", isServiceGone ? nil : "the service",
        steps.timerCount > 0 ? "\(steps.timerCount) timers" : nil,
      ]
      throw Oracle.Problem(
        .nothingLeft, seen: "\(left.compactMap(\.self).joined(separator: ", ")) still held",
        promised: "all let go with the handle")
    }
  }

  private var possibleEndings: [Ending] {
    var possible = endings + lateEndings
    // Only the clock can be the reason of these.
    if scenario.pattern.retries, log.contains("clock") {
      possible.append(.deadline)
      for media in expectation.post.media.indices where starts(at: media) == scenario.retry.attempts {
        possible.append(.failed(media, AttemptTimedOut(mediaIndex: media)))
      }
    }
    let hasFailed = endings.contains { $0.kind != .cancellation }
    return hasFailed ? possible : [.published] + possible
  }
}

/// Who decides what comes next: a schedule is nothing but the list of what was chosen.
struct Choices {
  private var prefix: ArraySlice<Int>
  private var generator: SeededGenerator?
  /// What was chosen so far, each of how many.
  private(set) var taken: [(choice: Int, count: Int)] = []

  /// Chooses as told, and the first that is possible after that.
  init(following prefix: [Int]) { self.prefix = prefix[...] }

  /// Chooses at random.
  init(seed: UInt64) {
    prefix = []
    generator = SeededGenerator(seed: seed)
  }

  /// Which of `count` (1 or more) comes next.
  mutating func choose(of count: Int) -> Int {
    var choice = min(prefix.popFirst() ?? 0, count - 1)
    if generator != nil { choice = Int.random(in: 0..<count, using: &generator!) }
    if count > 1 { taken.append((choice, count)) }
    return choice
  }

  /// What to follow next so that, one after another, all schedules there are come up; nil: this was the last.
  var successor: [Int]? {
    var next = taken
    while let last = next.popLast() {
      if last.choice + 1 < last.count { return next.map(\.choice) + [last.choice + 1] }
    }
    return nil
  }
}
