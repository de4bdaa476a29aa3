@testable import Harness
import RawThreads
import Results
import Synchronization
import TestSupport
import Testing
import UploadScenario

/// Samples whose posts follow each other without the harness in between.
@Suite(.ownThread) struct OverlappingPostsTests {
  private func scenario(_ overlap: Int, _ change: (inout Scenario) -> Void = { _ in }) -> Scenario {
    Scenario(name: "steady", photos: 3) {
      $0.overlap = overlap
      change(&$0)
    }
  }

  private func reply(
    of contender: some Contender, _ scenario: Scenario, times: Int = 20, unmeasured: Int? = nil,
    clock: HarnessClock = .monotonic, timeoutNanoseconds: UInt64? = nil
  ) throws -> SampleReply {
    try UploadWorker(.faked(contender, clock: clock)).run(
      SampleRequest(
        scenario: scenario, iterations: times, unmeasured: unmeasured, timeoutNanoseconds: timeoutNanoseconds)
    )
  }

  @Test(arguments: [1, 4, 100])
  func `every post of a sample is published and counted`(overlap: Int) throws {
    let reply = try reply(of: FakeContender(.honest), scenario(overlap), unmeasured: 30)
    #expect(reply.outcome == .measured, "\(reply.reason ?? "")")
    #expect(reply.uploads?.posts == 20 && reply.uploads?.finished == 60)
    #expect(reply.wallNanoseconds > 0)
  }

  @Test(
    arguments: [
      (.answersTwice, .wrong, "completion: called 2 times, expected once"),
      (.leaks, .wrong, "something is left: the completion closure is still retained after the job ended"),
      (.hangs, .timedOut, "20 of 20 posts did not complete within 10503 ms"),
    ] as [(FakeContender.Behaviour, Outcome, String)])
  func `a contender that breaks a promise is not measured`(
    behaviour: FakeContender.Behaviour, outcome: Outcome, reason: String
  ) throws {
    let reply = try reply(of: FakeContender(behaviour), scenario(4), clock: FakeClock().clock)
    #expect(reply.outcome == outcome)
    #expect(reply.reason == reason)
  }

  @Test(arguments: [1, 4])
  func `exactly as many posts as requested are in flight`(overlap: Int) throws {
    let contender = WaitingForOthers(overlap, of: 20)
    let reply = try reply(of: contender, scenario(overlap), timeoutNanoseconds: 10_000_000_000)
    #expect(reply.outcome == .measured, "\(reply.reason ?? "")")
    #expect(contender.mostUnderWay == overlap)
  }

  @Test func `a lost post ends the sample with a reason`() throws {
    let reply = try reply(of: Forgetful(), scenario(2), timeoutNanoseconds: 10_000_000_000)
    #expect(reply.outcome == .wrong)
    #expect(reply.reason == "a post is lost: its completion was released and never called")
  }

  @Test func `the ideal time is that of posts that wait for each other`() throws {
    func ideal(_ overlap: Int?, times: Int) throws -> UInt64? {
      let scenario = Scenario(name: "waiting", service: .latency, fanOut: 3) {
        $0.latency = .fixed(nanoseconds: 1_000)
        $0.overlap = overlap
      }
      return try reply(of: FakeContender(.honest), scenario, times: times).idealNanoseconds
    }
    let one = try #require(try ideal(nil, times: 1))
    #expect(try ideal(4, times: 10) == 3 * one)
    #expect(try ideal(1, times: 10) == 10 * one)
  }
}

/// Ends a post only while this many are in flight, on a thread of its own.
private final class WaitingForOthers: PartialContender {
  let name = "waiting"

  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var left: Int
    var underWay = 0
    var mostUnderWay = 0
  }

  private let overlap: Int
  private let state: Mutex<State>
  private let parker = Parker()

  init(_ overlap: Int, of posts: Int) {
    self.overlap = overlap
    state = Mutex(State(left: posts))
    _ = RawThread(name: "ender") { [weak self] in self?.work() }
  }

  var mostUnderWay: Int { state.withLock { $0.mostUnderWay } }

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let honest = FakeContender(.honest)
    state.withLock {
      $0.underWay += 1
      $0.mostUnderWay = max($0.mostUnderWay, $0.underWay)
      $0.jobs.append {
        _ = honest.publish(post, to: service, limit: limit) { result in
          self.state.withLock { $0.underWay -= 1 }
          completion(result)
        }
      }
    }
    parker.unpark()
    return FakeService.Handle()
  }

  private func work() {
    while true {
      let (job, isOver) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
        guard state.jobs.count >= min(overlap, state.left), !state.jobs.isEmpty else {
          return (nil, state.left == 0)
        }
        state.left -= 1
        return (state.jobs.removeFirst(), false)
      }
      if let job { job() } else if isOver { return } else { parker.park() }
    }
  }
}

/// Releases every third completion without a call.
private final class Forgetful: PartialContender {
  let name = "forgetful"
  private let posts = Atomic<Int>(0)

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    if posts.add(1, ordering: .relaxed).newValue % 3 == 0 { return FakeService.Handle() }
    return FakeContender(.honest).publish(post, to: service, limit: limit, completion: completion)
  }
}
