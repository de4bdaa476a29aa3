import Foundation
import RawThreads
import UploadScenario

/// One job of a contender, and the service that it runs against, in a script's hands.
final class Trial {
  let examination: Examination
  let rule: Rule
  let scenario: Scenario
  let post: Post
  let stage: Stage
  let seed: UInt64
  private(set) var course: Course
  private var moment: String
  /// How many requests had been made when the job was last told to stop, by a failure or a cancellation.
  private(set) var startsAtTheStop: Int?
  /// What requests were refused with, by their place in the ledger.
  private var refusals: [Int: any Error] = [:]
  private var handle: (any Cancellable)?

  init(
    _ examination: Examination, _ rule: Rule, _ scenario: Scenario, _ moment: String, seed: UInt64,
    configure: (inout Stage.State) -> Void
  ) {
    self.examination = examination
    self.rule = rule
    self.scenario = scenario
    self.moment = moment
    self.seed = seed
    post = scenario.makePost()
    stage = Stage(scenario, configure: configure)
    course = Course(scenario)
  }

  /// What the script has come to, for whoever reads the violation.
  func note(_ step: String) { moment += moment.isEmpty ? step : ", then \(step)" }

  var text: String { moment.isEmpty ? scenario.text : "\(scenario.text); \(moment)" }

  func begin() { handle = launch() }

  /// Nothing of what is made here stays with the trial, but for the handle.
  private func launch() -> any Cancellable {
    stage.change { $0.callerThread = pthread_self() }
    defer { stage.change { $0.callerThread = nil } }
    return starter(of: examination.contender)()
  }

  /// Starts the job, or one more on the same stage, with a service and a token of its own.
  func starter(of contender: some Contender) -> @Sendable () -> any Cancellable {
    { [scenario, post, stage] in
      let token = Token(stage)
      return contender.start(scenario, post: post, service: ScriptedService(stage)) { result in
        withExtendedLifetime(token) { stage.complete(result) }
      }
    }
  }

  /// Starts one more job on the same stage.
  var start: @Sendable () -> any Cancellable { starter(of: examination.contender) }

  var now: UInt64 { MonotonicClock.nanoseconds() }

  func cancel() {
    startsAtTheStop = stage.read { $0.starts.count }
    handle?.cancel()
  }

  /// The same for another thread, later.
  var cancellation: @Sendable () -> Void { { [handle] in handle?.cancel() } }

  func dropHandle() { handle = nil }

  /// The call that waits at a place in the ledger (nil: the post), once it is there.
  func call(at index: Int?) throws -> HeldCall {
    let what = index.map { "\(scenario.requestName(at: $0)) in flight" } ?? "the post asked for"
    try expect(what, beforeTheEnd: true) { state in
      state.calls.contains { $0.ledgerIndex == index && !$0.isCancelled }
    }
    guard let call = stage.calls(at: index).first else { throw broken(.ends, promised: what) }
    return call
  }

  func succeed(at index: Int, again: Result<Void, any Error>? = nil) throws {
    let call = try call(at: index)
    noteSuccess(at: index)
    stage.answer(call, .success(()), again: again)
  }

  /// Refuses a request, and says how the job must end because of it, if it must.
  @discardableResult
  func refuse(at index: Int, _ error: any Error) throws -> Ending? {
    let call = try call(at: index)
    let ending = noteFailure(at: index, error)
    startsAtTheStop = stage.read { $0.starts.count }
    stage.answer(call, .failure(error))
    return ending
  }

  /// A request is about to succeed.
  func noteSuccess(at index: Int) { course.succeeded(at: index) }

  /// A request is about to fail: how the job must end because of it, if it must.
  func noteFailure(at index: Int, _ error: any Error) -> Ending? {
    refusals[index] = error
    guard course.failed(at: index, isTransient: RetryPolicy.isTransient(error)) else { return nil }
    let unit = course.unit(at: index)
    guard scenario.pattern.races else { return .failed(unit, error) }
    let errors = [2 * unit, 2 * unit + 1].compactMap { refusals[$0] }
    return .failed(unit, RaceFailure(mediaIndex: unit, primary: errors[0], secondary: errors[1]))
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

  /// Lets everything arrive that is asked for, until the job ends by itself.
  func arriveUntilTheEnd() throws {
    while stage.read({ $0.results.isEmpty }) {
      try expect("the completion called") { !$0.results.isEmpty || !$0.calls.isEmpty }
      for call in stage.read({ $0.calls }) { stage.answer(call, .success(())) }
    }
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
    func units(_ state: Stage.State) -> Set<Int> {
      Set(state.calls.filter { !$0.isCancelled }.compactMap { $0.ledgerIndex.map(course.unit(at:)) })
        .subtracting(course.done)
    }
    try expect("something in flight", beforeTheEnd: true) { !units($0).isEmpty }
    let nearest = stage.read(units).min { (abs($0 - preferred), $0) < (abs($1 - preferred), $1) }
    guard let nearest else { throw broken(.ends, promised: "something in flight") }
    return nearest
  }

  func answerPost(_ result: Result<Void, any Error> = .success(())) throws {
    stage.answer(try call(at: nil), result)
  }

  /// Ends whatever the job has left behind, so that it disturbs no one.
  func tearDown() {
    stage.release()
    handle?.cancel()
    handle = nil
    // What stays behind has been reported; a short wait for it to go keeps trials from disturbing each other.
    let deadline = min(examination.giveUpNanoseconds, MonotonicClock.nanoseconds() + 100_000_000)
    if examination.isKnown(.nothingLeft) { return }
    _ = stage.wait(untilNanoseconds: deadline) { $0.isServiceGone }
  }
}
