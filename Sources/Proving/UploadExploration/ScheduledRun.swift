import Conformance
import Exploration
import UploadScenario

/// Runs one job of a contender, with the events in the order that a search chooses, and judges what the contender did.
final class ScheduledRun {
  enum Event {
    /// The service answers one of the calls that wait for an answer, namely that at this index.
    case answer(Int, Answer)
    case step(Int)
    case advanceClock
    case cancel
  }

  enum Answer: UInt64 {
    case arrives, stops, fails
  }

  let scenario: Scenario
  private let (retries, mostFailures): (Bool, Int)
  private let expectation: Expectation
  private let subject: Explorer.Subject
  private var contender: any Contender
  /// The simulated service of the current or last run.
  private(set) var backend: Backend!
  private(set) var steps: any Steps
  let search: Search
  private var handle: (any Cancellable)?
  private(set) var failures = 0
  private(set) var isCancelled = false
  private(set) var hasClockMoved = false
  /// The number of the blocking call that fails in this run, counted from 0. `nil` if none fails.
  private(set) var refused: Int?
  private var events: [Event] = []
  private var enabled: [Step] = []
  /// The events so far, as text. `nil` means that events are not recorded.
  private(set) var log: [String]?
  private var lanes: [UInt64] = []
  /// Whether the search abandoned the run because all its continuations had been tried. Such a run is not judged.
  private(set) var isRedundant = false
  /// The histories of all tasks and coroutines. The history with owner 0 is that of shared state.
  var histories: [History] = []

  init(_ expectation: Expectation, _ subject: Explorer.Subject, _ search: Search, keepsLog: Bool = false) {
    scenario = expectation.scenario
    retries = scenario.pattern.retries
    mostFailures = scenario.pattern.races || retries ? 2 : 1
    (self.expectation, self.subject, self.search) = (expectation, subject, search)
    (contender, steps) = subject.make()
    log = keepsLog ? [] : nil
  }

  func breach() -> Breach? {
    begin()
    var breach: Breach?
    steps.perform {
      do throws(Breach) { try play() } catch { breach = error }
    }
    return isRedundant ? nil : breach
  }

  private func begin() {
    handle = nil
    let isReused = backend != nil && steps.reset()
    if backend != nil, !isReused { (contender, steps) = subject.make() }
    (failures, isCancelled, hasClockMoved, isRedundant) = (0, false, false, false)
    lanes.removeAll()
    histories.removeAll(keepingCapacity: true)
    refused = nil
    if scenario.pattern.blocksThreads {
      // No event can happen during a blocking call, so the call that fails is chosen first. The last choice means none.
      let choice = search.choose(of: (0...scenario.photos).map { Step(id: UInt64($0)) }) ?? 0
      refused = choice < scenario.photos ? choice : nil
      if let refused { log?.append("call \(refused) will fail") }
    }
    if isReused, !scenario.pattern.blocksThreads { return backend.reset() }
    backend = Backend(expectation, clock: steps.clock, refusing: refused)
  }

  private func play() throws(Breach) {
    defer { drain() }
    let (steps, backend) = (steps, backend!)
    steps.begin(Step(id: 1))
    handle = backend.start(contender)
    if steps.isIdle { backend.notify { $0.quiet() } }
    var count = 0
    while !backend.hasEnded {
      if let escape = steps.escape {
        throw Breach(.ends, seen: escape, promised: "all work of the job on the exploring thread")
      }
      if steps.isIdle { hasClockMoved = false }
      findEvents()
      count += 1
      guard !events.isEmpty, count <= 2_000 else {
        throw Breach(
          .ends,
          seen: events.isEmpty ? "a job that waits forever" : "\(count) steps, and the job has not ended",
          promised: "a call of the completion")
      }
      guard let choice = search.choose(of: enabled, in: state) else {
        isRedundant = true
        return
      }
      let (event, step) = (events[choice], enabled[choice])
      let call = if case .answer(let place, _) = event { backend.calls[place] } else { HeldCall?.none }
      let before = seen
      happen(event, step, call)
      if case .step = event, search.isReduced { note(step, since: before) }
    }
    drain()
    try judge()
  }

  private func findEvents() {
    events.removeAll(keepingCapacity: true)
    enabled.removeAll(keepingCapacity: true)
    func add(_ event: Event, _ id: UInt64) {
      events.append(event)
      enabled.append(Step(id: id))
    }
    let ready = steps.ready
    // After a timeout, no answer comes until the contender has processed the timeout, since their order is unspecified.
    if !hasClockMoved {
      let canFail = failures < mostFailures
      for (place, call) in backend.calls.enumerated() {
        add(.answer(place, .arrives), id(of: call, .arrives))
        if call.isCancelled {
          add(.answer(place, .stops), id(of: call, .stops))
        } else if canFail {
          add(.answer(place, .fails), id(of: call, .fails))
        }
      }
    }
    for (index, step) in ready.enumerated() {
      events.append(.step(index))
      enabled.append(step)
    }
    // An answer that arrives before a timeout counts, even if the waiting task runs late. So with retries, the clock advances
    // only while no step is ready.
    let standsStill = !ready.isEmpty && (retries || !steps.letsTimePass)
    if steps.timerCount > 0, !standsStill { add(.advanceClock, 2) }
    if !isCancelled { add(.cancel, 3) }
  }

  private func id(of call: HeldCall, _ answer: Answer) -> UInt64 {
    UInt64((call.ledgerIndex ?? -1) + 2) << 32 | UInt64(call.attempt) << 2 | answer.rawValue
  }

  private func error(of call: HeldCall, _ answer: Answer) -> (any Error)? {
    switch answer {
    case .arrives: return nil
    case .stops: return CancellationError()
    case .fails:
      guard let index = call.ledgerIndex else { return UploadFailure.ofPost() }
      return scenario.refusal(ofLedgerIndex: index, isTransient: retries && failures == 0)
    }
  }

  private func happen(_ event: Event, _ step: Step, _ call: HeldCall?) {
    let (steps, backend) = (steps, backend!)
    // The event affects the contender only when its task runs, and other events may come before.
    if !steps.areInline { backend.notify { $0.unquiet() } }
    switch event {
    case .answer(_, let answer):
      let call = call!
      let error = error(of: call, answer)
      log?.append("\(call.ledgerIndex.map(String.init) ?? "post") \(error.map { "\($0)" } ?? "arrives")")
      steps.begin(step)
      if case .fails = answer { failures += 1 }
      backend.answer(call, error.map { .failure($0) } ?? .success(()))
    case .step(let index):
      if log != nil {
        if !lanes.contains(step.lane) { lanes.append(step.lane) }
        log?.append("task \(lanes.firstIndex(of: step.lane)! + 1) goes on")
      }
      steps.run(at: index)
    case .advanceClock:
      log?.append("clock")
      steps.begin(step)
      steps.advanceClock()
      hasClockMoved = retries
    case .cancel:
      log?.append("cancel")
      steps.begin(step)
      isCancelled = true
      noteShared(step.id)
      backend.notify { $0.jobCancelled() }
      handle?.cancel()
      handle?.cancel()
    }
    // If no step is ready, the contender has processed all events.
    if steps.isIdle { backend.notify { $0.quiet() } }
  }

  /// Answers every call and runs every ready step, so that no task of the run is left.
  private func drain() {
    if isRedundant, !backend.hasEnded {
      backend.notify { $0.jobCancelled() }
      handle?.cancel()
    }
    for _ in 0..<10_000 {
      if let call = backend.read({ $0.calls.first }) {
        backend.answer(call, .failure(CancellationError()))
      } else if !steps.isIdle {
        steps.run(at: 0)
      } else if isRedundant, steps.timerCount > 0 {
        steps.advanceClock()
      } else {
        return
      }
    }
  }

  private func judge() throws(Breach) {
    if let breach = backend.breach(of: expectation) { throw breach }
    handle = nil
    let (isCompletionGone, isServiceGone) = backend.read { ($0.isCompletionGone, $0.isServiceGone) }
    if steps.timerCount > 0 || !isCompletionGone || !isServiceGone {
      let left = [
        isCompletionGone ? nil : "the completion", isServiceGone ? nil : "the service",
        steps.timerCount > 0 ? "\(steps.timerCount) timers" : nil,
      ]
      throw Breach(
        .nothingLeft, seen: "\(left.compactMap(\.self).joined(separator: ", ")) still held",
        promised: "all released when the job's handle is released")
    }
  }
}
