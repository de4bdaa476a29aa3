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
  private var handle: (any Cancellable)?
  private var failures = 0
  private var isCancelled = false
  private var hasClockMoved = false
  /// What was done so far, for a reader.
  private(set) var log: [String] = []

  init(_ expectation: Expectation, _ steps: any Steps, _ choices: Choices) {
    scenario = expectation.scenario
    self.expectation = expectation
    self.steps = steps
    self.choices = choices
    var refused: Int?
    if scenario.pattern.blocksThreads {
      // Nothing happens while a call blocks: which one fails is chosen before. The last choice is none of them.
      let choice = self.choices.choose(of: scenario.photos + 1)
      refused = choice < scenario.photos ? choice : nil
    }
    backend = Backend(expectation, clock: steps.clock, refusing: refused)
  }

  /// Runs it to its end; returns the first rule that was broken, nil if none was.
  func breach(of contender: any Contender) -> Breach? {
    var breach: Breach?
    steps.perform {
      do throws(Breach) { try play(contender) } catch { breach = error }
    }
    return breach
  }

  private func play(_ contender: any Contender) throws(Breach) {
    defer { drain() }
    handle = backend.start(contender)
    settle()
    var count = 0
    while !backend.model.hasEnded {
      let events = events()
      count += 1
      guard !events.isEmpty, count <= 2_000 else {
        throw Breach(
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
    if steps.readyCount == 0 { hasClockMoved = false }
    // Who has run out of time hears of it before another answer comes: which of the two counts is nobody's promise.
    for call in hasClockMoved ? [] : backend.read({ $0.calls }) {
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
    // Who is told of it takes it in when its turn comes.
    if !steps.areInline { backend.tell { $0.unquiet() } }
    switch event {
    case .answer(let call, let error):
      let name = call.ledgerIndex.map { "\($0)" } ?? "post"
      log.append("\(name) \(error.map { "\($0)" } ?? "arrives")")
      if error != nil, !call.isCancelled { failures += 1 }
      backend.answer(call, error.map { .failure($0) } ?? .success(()))
    case .step(let index):
      log.append("step \(index)")
      steps.runReady(at: index)
    case .advanceClock:
      log.append("clock")
      steps.advanceClock()
      hasClockMoved = scenario.pattern.retries
    case .cancel:
      log.append("cancel")
      isCancelled = true
      backend.tell { $0.told() }
      handle?.cancel()
      handle?.cancel()
    }
    settle()
  }

  /// Once nothing is ready to go on, the job has taken in what has happened.
  private func settle() {
    if steps.readyCount == 0 { backend.tell { $0.quiet() } }
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

  private func judge() throws(Breach) {
    if let breach = backend.breaches.first { throw breach }
    let (model, record) = (backend.model, backend.ledger.record())
    // Made-up bytes can always be read.
    if let result = backend.read(\.result), let breach = try! model.breaches(of: record, result).first {
      throw breach
    }
    handle = nil
    let (isCompletionGone, isServiceGone) = backend.read { ($0.isCompletionGone, $0.isServiceGone) }
    if steps.timerCount > 0 || !isCompletionGone || !isServiceGone {
      let left = [
        isCompletionGone ? nil : "the completion", isServiceGone ? nil : "the service",
        steps.timerCount > 0 ? "\(steps.timerCount) timers" : nil,
      ]
      throw Breach(
        .nothingLeft, seen: "\(left.compactMap(\.self).joined(separator: ", ")) still held",
        promised: "all let go with the handle")
    }
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
