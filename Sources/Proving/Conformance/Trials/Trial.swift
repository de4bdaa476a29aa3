import Foundation
import RawThreads
import UploadScenario

/// One job of a contender, and the service that it runs against, in a script's hands.
final class Trial {
  let check: PatternCheck
  let rule: Rule
  let scenario: Scenario
  let post: Post
  let backend: Backend
  let seed: UInt64
  var course: Course
  private var moment: String
  /// How many requests had been made when the job was last told to stop, by a failure or a cancellation.
  private(set) var startsAtTheStop: Int?
  private var handle: (any Cancellable)?

  init(
    _ check: PatternCheck, _ rule: Rule, _ scenario: Scenario, _ moment: String, seed: UInt64,
    configure: (inout Backend.State) -> Void
  ) {
    self.check = check
    self.rule = rule
    self.scenario = scenario
    self.moment = moment
    self.seed = seed
    post = scenario.makePost()
    backend = Backend(scenario, configure: configure)
    course = Course(scenario)
  }

  /// What the script has come to, for whoever reads the violation.
  func note(_ step: String) { moment += moment.isEmpty ? step : ", then \(step)" }

  /// Reports a problem under the script's own rule if that says more.
  func report(_ problem: Oracle.Problem) {
    let text = moment.isEmpty ? scenario.text : "\(scenario.text); \(moment)"
    let rule = rule.isSpecial && problem.rule.isVague ? rule : problem.rule
    check.report(
      Oracle.Problem(rule, seen: problem.seen, promised: problem.promised), scenario: text, seed: seed)
  }

  /// Starts the job. Nothing of what is made here stays with the trial, but for the handle.
  func begin() {
    backend.change { $0.callerThread = pthread_self() }
    defer { backend.change { $0.callerThread = nil } }
    handle = start()
  }

  /// Starts one more job on the same backend.
  var start: @Sendable () -> any Cancellable { starter(of: check.contender) }

  private func starter(of contender: some Contender) -> @Sendable () -> any Cancellable {
    { [backend, post] in backend.start(contender, post) }
  }

  var now: UInt64 { MonotonicClock.nanoseconds() }

  func cancel() {
    startsAtTheStop = backend.read { $0.starts.count }
    handle?.cancel()
  }

  /// The same for another thread, later.
  var cancellation: @Sendable () -> Void { { [handle] in handle?.cancel() } }

  func dropHandle() { handle = nil }

  func succeed(at index: Int, again: Result<Void, any Error>? = nil) throws {
    let call = try call(at: index)
    course.succeeded(at: index)
    backend.answer(call, .success(()), again: again)
  }

  /// Refuses a request, and says how the job must end because of it, if it must.
  @discardableResult
  func refuse(at index: Int, _ error: any Error) throws -> Ending? {
    let call = try call(at: index)
    let ending = course.failed(at: index, error)
    startsAtTheStop = backend.read { $0.starts.count }
    backend.answer(call, .failure(error))
    return ending
  }

  /// Lets one upload, chunk or lookup arrive: this one if it is under way, otherwise the next one to it.
  @discardableResult
  func arrive(_ preferred: Int = 0, again: Result<Void, any Error>? = nil) throws -> Int {
    let unit = try unitUnderWay(preferred)
    switch scenario.pattern.requests {
    case .urlThenUpload:
      try succeed(at: 2 * unit, again: again)
      try succeed(at: 2 * unit + 1, again: again)
    case .mirrors: try succeed(at: 2 * unit, again: again)
    case .one, .attempts: try succeed(at: unit, again: again)
    }
    return unit
  }

  /// Lets so many arrive, one after another, each once the job has in flight what it can have; then waits for that.
  func arrive(first count: Int) throws {
    for index in 0..<count {
      try settle()
      try arrive(index)
    }
    try settle()
  }

  /// Lets one upload, chunk or lookup fail for good, and says how the job must end.
  func fail(_ preferred: Int = 0) throws -> Ending {
    let unit = try unitUnderWay(preferred)
    var last = unit
    switch scenario.pattern.requests {
    case .urlThenUpload where unit % 2 == 1:
      try succeed(at: 2 * unit)
      last = 2 * unit + 1
    case .urlThenUpload: last = 2 * unit
    case .mirrors:
      try refuse(at: 2 * unit, scenario.refusal(ofLedgerIndex: 2 * unit, reason: "primary refused"))
      last = 2 * unit + 1
    case .one, .attempts: break
    }
    let error = scenario.refusal(ofLedgerIndex: last, reason: "refused first")
    return try refuse(at: last, error) ?? .failed(unit, error)
  }

  private func unitUnderWay(_ preferred: Int) throws -> Int {
    // A loser that is about to be cancelled is not under way any more.
    let course = course
    func units(_ state: Backend.State) -> Set<Int> {
      Set(state.waiting.compactMap { $0.ledgerIndex.map(course.unit(at:)) }).subtracting(course.done)
    }
    try expect("something in flight", beforeTheEnd: true) { !units($0).isEmpty }
    let nearest = backend.read(units).min { (abs($0 - preferred), $0) < (abs($1 - preferred), $1) }
    guard let nearest else { throw problem(.ends, promised: "something in flight") }
    return nearest
  }

  func answerPost(_ result: Result<Void, any Error> = .success(())) throws {
    backend.answer(try call(at: nil), result)
  }

  /// Lets all uploads arrive that have not.
  func arriveAll() throws { while !course.isDone { try arrive() } }

  /// The same, then answers the post, and holds the job against what was promised.
  func publishRest() throws {
    try arriveAll()
    try answerPost()
    try end(.published)
  }

  /// Ends whatever the job has left behind, so that it disturbs no one.
  func tearDown() {
    backend.release()
    handle?.cancel()
    handle = nil
    // What stays behind has been reported; a short wait for it to go keeps trials from disturbing each other.
    let deadline = min(check.timeoutAtNanoseconds, MonotonicClock.nanoseconds() + 100_000_000)
    if check.isKnown(.nothingLeft) { return }
    _ = backend.wait(untilNanoseconds: deadline) { $0.isServiceGone }
  }
}

extension Backend.State {
  /// The calls that wait for an answer and were not cancelled.
  var waiting: [HeldCall] { calls.filter { !$0.isCancelled } }
  /// How many of them are not the post.
  var inFlight: Int { calls.count { $0.ledgerIndex != nil && !$0.isCancelled } }
}
