@testable import Harness
import Results
import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct LoadWorkerTests {
  private static let second: UInt64 = 1_000_000_000

  private func worker(_ contender: any Contender, _ time: SimulatedTime) -> LoadWorker {
    LoadWorker(.faked(contender, clock: time.clock))
  }

  private func reply(
    _ manner: QueueContender.Manner, perSecond: Double = 1_000, seconds: Double = 4, mostPosts: Int = 10_000,
    schedule: ArrivalSchedule = .fixed
  ) throws -> LoadReading {
    let time = SimulatedTime()
    return try worker(QueueContender(time, manner), time).run(
      LoadRequest(
        scenario: Scenario(name: "three", photos: 3), schedule: schedule, postsPerSecond: perSecond,
        windowNanoseconds: UInt64(seconds * 1e9), mostPosts: mostPosts))
  }

  @Test func `posts that end in time are all measured`() throws {
    let reply = try reply(QueueContender.Manner(serviceNanoseconds: 250_000))
    #expect(reply.outcome == .measured)
    #expect(reply.posts.due == 4_000)
    #expect(reply.posts.completed == 4_000)
    #expect(reply.posts.peakInFlight == 1)
    #expect(reply.latencies.count == 4_000)
    #expect(reply.latencies.max == 250_000)
    #expect(reply.lateness.max == 0)
    #expect(!reply.isFull)
  }

  /// The mistake that is called coordinated omission: whoever waits for an answer before it asks again sees one stall as
  /// one long answer, although everybody who came meanwhile waited.
  @Test func `a stall delays every post that was due during it`() throws {
    var manner = QueueContender.Manner()
    manner.stall = Self.second..<2 * Self.second
    let reply = try reply(manner)
    #expect(reply.posts.completed == 4_000)
    // A quarter of the posts was due in that second, and waited for what was left of it.
    let waited = reply.latencies.buckets.filter { $0.low > 1_000_000 }.reduce(0) { $0 + $1.count }
    #expect((1_000...1_120).contains(waited))
    #expect(try #require(reply.latencies.percentile(0.5)) < 110_000)
    #expect((550_000_000...650_000_000).contains(try #require(reply.latencies.percentile(0.9))))
    #expect((950_000_000...1_010_000_000).contains(try #require(reply.latencies.percentile(0.99))))
    // The generator went on as planned.
    #expect(reply.lateness.max == 0)
    #expect(reply.posts.peakInFlight >= 999)
  }

  /// A contender whose call does not return holds up all posts that come after: that is its latency, and not the
  /// generator's lateness.
  @Test func `a start that blocks is latency, not lateness of the generator`() throws {
    var manner = QueueContender.Manner()
    manner.blockedStart = (post: 1_000, nanoseconds: Self.second)
    let reply = try reply(manner)
    #expect(reply.posts.completed == 4_000)
    #expect((550_000_000...700_000_000).contains(try #require(reply.latencies.percentile(0.9))))
    #expect(try #require(reply.holdUps.max) >= 998_000_000)
    #expect(reply.lateness.max == 0)
  }

  @Test func `late wake-ups are recorded as lateness`() throws {
    let time = SimulatedTime()
    var clock = time.clock
    // Each wake-up is 300 µs late.
    clock.sleep = { moment, _ in time.pass(until: moment + 300_000) }
    let worker = LoadWorker(.faked(QueueContender(time), clock: clock))
    let reply = try worker.run(
      LoadRequest(
        scenario: Scenario(name: "three", photos: 3), schedule: .fixed, postsPerSecond: 1_000,
        windowNanoseconds: Self.second))
    #expect(reply.lateness.count == 1_000)
    #expect(reply.lateness.percentile(0.01).map { $0 >= 300_000 } ?? false)
    #expect(reply.lateness.max == 300_000)
    // Latency counts from when the post was due, late or not.
    #expect(reply.latencies.max == 400_000)
  }

  @Test func `a window ends when the most posts are in flight`() throws {
    // 1 000 come and 500 are done in a second: 100 have piled up after a fifth of one.
    let reply = try reply(QueueContender.Manner(serviceNanoseconds: 2_000_000), mostPosts: 100)
    #expect(reply.outcome == .measured)
    #expect(reply.isFull)
    #expect((190_000_000...210_000_000).contains(reply.windowNanoseconds))
    #expect(reply.posts.peakInFlight == 100)
    #expect(reply.posts.completed + reply.posts.givenUp == reply.posts.due)
    #expect(reply.posts.givenUp == 101)
    // Whoever was given up had waited, too; but for the one that found no place.
    #expect(reply.latencies.count == reply.posts.due - 1)
  }

  @Test func `a slow backlog shows in the drain time`() throws {
    // 600 come and 500 are done in a second: after two seconds 200 are left, which take 400 ms.
    let reply = try reply(QueueContender.Manner(serviceNanoseconds: 2_000_000), perSecond: 600, seconds: 2)
    #expect(!reply.isFull)
    #expect(reply.posts.completed == 1_200)
    #expect((395_000_000...405_000_000).contains(reply.drainNanoseconds))
    #expect(try #require(reply.earlyLatencyNanoseconds) < 60_000_000)
  }

  @Test func `posts that would take too long are given up`() throws {
    // 100 posts of half a second each.
    let reply = try reply(
      QueueContender.Manner(serviceNanoseconds: 500_000_000), perSecond: 100, seconds: 1)
    #expect(reply.outcome == .measured)
    #expect(reply.posts.givenUp > 80)
    #expect(reply.posts.completed + reply.posts.givenUp == 100)
    // No latency is better than the time that was waited.
    #expect(try #require(reply.latencies.percentile(0.5)) > 2 * Self.second)
  }

  /// When they are looked at, none has ended for four seconds; but uploads of theirs go on ending.
  @Test func `posts that share a slow service do not count as hung`() throws {
    let reply = try reply(
      QueueContender.Manner(uploadNanoseconds: 3 * Self.second / 2), perSecond: 100, seconds: 1)
    #expect(reply.outcome == .measured, "\(reply.reason ?? "")")
    #expect(reply.posts.givenUp > 0)
    #expect(reply.posts.completed + reply.posts.givenUp == 100)
  }

  @Test(arguments: [false, true])
  func `a post that hangs is reported`(evenIfCancelled: Bool) throws {
    var manner = QueueContender.Manner()
    manner.hangs = 17
    manner.hangsEvenIfCancelled = evenIfCancelled
    let reply = try reply(manner, seconds: 1)
    #expect(reply.outcome == .timedOut)
    #expect(reply.reason == "1 post had no completion, and no other ended for 1000 ms")
  }

  @Test func `a completion released without a call is a lost post`() throws {
    var manner = QueueContender.Manner()
    manner.loses = 17
    let reply = try reply(manner, seconds: 1)
    #expect(reply.outcome == .wrong)
    #expect(reply.reason == "a post is lost: its completion was let go and never called")
    #expect(reply.posts.wrong == 1)
    // The window ends: nothing that follows would be ranked.
    #expect(reply.posts.due < 30)
  }

  /// The ledger of each post is its own, and is held against the same promise as in any other run.
  @Test(
    arguments: [
      (.throwsError, .failed, "ended with an error: Refusal()"),
      (.answersTwice, .wrong, "completion: called 2 times, expected once"),
      (
        .startsAfterCompletion, .wrong,
        "media file 0: got started 2, finished 2, expected started 1, finished 1 (and 1 more)"
      ),
    ] as [(FakeContender.Behaviour, Outcome, String)])
  func `each post is checked against its own ledger`(
    behaviour: FakeContender.Behaviour, outcome: Outcome, reason: String
  )
    throws
  {
    let time = SimulatedTime()
    let reply = try worker(FakeContender(behaviour), time).run(
      LoadRequest(
        scenario: Scenario(name: "three", photos: 3), schedule: .fixed, postsPerSecond: 100,
        windowNanoseconds: Self.second))
    #expect(reply.outcome == outcome)
    #expect(reply.reason == reason)
  }
}
