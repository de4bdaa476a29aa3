import Results
import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct TraceWorkerTests {
  private func reply(
    _ behaviour: FakeContender.Behaviour, _ scenario: Scenario = Scenario(name: "three", photos: 3)
  ) throws -> TraceReply {
    let worker = TraceWorker(.faked(FakeContender(behaviour), clock: FakeClock().clock))
    return try worker.run(TraceRequest(scenario: scenario))
  }

  @Test func `every request is recorded from its call to its answer's return`() throws {
    let post = try #require(try reply(.honest).post)
    #expect(post.requests.map(\.index) == [0, 1, 2, nil])
    // This service answers before the asking returns.
    for request in post.requests {
      let moments = [
        request.asked.nanoseconds, request.answered.nanoseconds, request.answerReturned, request.askReturned,
      ]
      #expect(moments == moments.sorted() && Set(moments).count == 4)
      #expect(request.asked.thread == 0 && request.answered.thread == 0)
    }
    let last = post.requests[3]
    #expect((last.answered.nanoseconds..<last.answerReturned).contains(post.completed.nanoseconds))
    #expect(post.startReturned > last.askReturned)
    #expect(post.asksAtOnce)
  }

  @Test func `every recorded post has a plain one beside it`() throws {
    let reply = try reply(.honest)
    #expect(reply.recordedNanoseconds.count == TraceRequest.pairs.upperBound)
    #expect(reply.plainNanoseconds.count == reply.recordedNanoseconds.count)
    // On this clock every reading takes time, and only the recorder reads it between start and end.
    #expect(zip(reply.plainNanoseconds, reply.recordedNanoseconds).allSatisfy { $0 < $1 })
    // The completion is heard a reading of the clock before it is timed.
    #expect(reply.recordedNanoseconds.contains(try #require(reply.post).completed.nanoseconds + 10))
  }

  @Test(arguments: [
    (FakeContender.Behaviour.throwsError, Outcome.failed), (.hangs, .timedOut), (.answersTwice, .wrong),
    (.startsAfterCompletion, .wrong),
  ])
  func `a failed trace has a reason and no post`(_ behaviour: FakeContender.Behaviour, outcome: Outcome)
    throws
  {
    let reply = try reply(behaviour)
    #expect(reply.outcome == outcome)
    #expect(reply.reason != nil && reply.post == nil)
  }

  @Test func `with a limit, requests wait for each other`() throws {
    var limited = Scenario(name: "limited", photos: 3)
    limited.limit = 1
    #expect(try #require(try reply(.honest, limited).post).asksAtOnce == false)
  }
}
