import UploadScenario

/// The posts of low priority that a post is started behind, each with a ledger and a service of its own. For one thread.
///
/// Their service is not the post's: what is asked is whom the idiom serves first, not whom a server does.
final class Crowd {
  private let scenario: Scenario
  private let post: Post
  private let expectation: Expectation
  private let ledgers: [Ledger]
  private let services: [any UploadService]
  private let clock: HarnessClock
  private let gate = Gate()
  private var runs: [PostRun] = []
  private var handles: [any Cancellable] = []

  /// Those of a scenario, which has one or more; `post` is what is started behind them.
  init(
    of scenario: Scenario, _ post: Post, clock: HarnessClock, makeServices: UploadWorker.MakeServices
  ) throws {
    self.scenario = scenario.ofOneAhead
    self.post = Post(id: post.id, media: [post.media[0]])
    self.clock = clock
    let requests = self.scenario.requestCount
    ledgers = (0..<scenario.behind).map { _ in
      Ledger(requestCount: requests, nanoseconds: clock.nanoseconds)
    }
    let gate = gate
    services = try makeServices(self.scenario, self.post, ledgers).map { Self.hold($0, behind: gate) }
    expectation = try Expectation(scenario: self.scenario, post: self.post)
  }

  private static func hold(_ service: some UploadService, behind gate: Gate) -> any UploadService {
    GatedService(base: service, gate: gate)
  }

  /// Starts them all. Those that the idiom begins with prepare their media until `letGo`, so that the others wait, however
  /// fast the machine is.
  func start(by contender: some Contender) {
    gate.close()
    runs = []
    for (ledger, service) in zip(ledgers, services) {
      ledger.open()
      let run = PostRun(clock: clock, ledger: ledger)
      handles.append(
        contender.start(scenario, post: post, service: service, completion: run.makeCompletion()))
      runs.append(run)
    }
  }

  func letGo() { gate.open() }

  /// Waits until all have ended and nothing of them is left, adds how many did before a moment, and says what was wrong.
  func end(endedBefore moment: UInt64, untilNanoseconds deadline: UInt64, into reply: inout SampleReply) {
    for run in runs {
      guard run.waitForCompletion(untilNanoseconds: deadline) else {
        return reply.fail(.timedOut, "a post of low priority had no completion long after it was started")
      }
    }
    handles = []
    for (run, ledger) in zip(runs, ledgers) {
      let isLetGo = run.waitUntilLetGo(untilNanoseconds: deadline)
      let isQuiet = ledger.waitUntilQuiet(clock, untilNanoseconds: deadline)
      let record = ledger.record()
      if let ending = run.ending,
        let fault = expectation.fault(of: ending.result, record, completions: run.completionCount)
      {
        reply.fail(fault.outcome, "a post of low priority: \(fault.reason)")
      } else if !isLetGo || !isQuiet {
        reply.fail(.wrong, "something is left of a post of low priority")
      }
    }
    reply.postsBefore = (reply.postsBefore ?? 0) + runs.count { ($0.ending?.nanoseconds ?? .max) < moment }
  }
}

extension Scenario {
  /// One of the posts that it is started behind: nothing disturbs those.
  fileprivate var ofOneAhead: Scenario {
    var one = self
    (one.photos, one.videos) = (1, 0)
    one.limit = nil
    one.faults = Faults()
    one.cancelAfter = nil
    one.priority = .low
    one.behind = 0
    return one
  }
}
