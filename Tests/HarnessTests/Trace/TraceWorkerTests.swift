import RawThreads
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

@Suite(.ownThread) struct PostRecorderTests {
  /// A post of one request, up to its answer's return.
  private func record(_ recorder: PostRecorder) {
    let completion = recorder.begin { _ in }
    let number = recorder.willAsk(7)
    recorder.hasStarted(at: 0)
    RawThread(name: "service") {
      recorder.isAnswered(number)
      completion(.failure(CancellationError()))
    }.join()
    recorder.hasAsked(number)
  }

  @Test func `threads are numbered from the caller's`() throws {
    let recorder = PostRecorder(capacity: 2, clock: FakeClock().clock)
    for _ in 0..<2 {
      record(recorder)
      recorder.hasAnswered(0)
      let post = try #require(recorder.trace(asksAtOnce: true))
      #expect(post.requests.map(\.index) == [7])
      #expect(post.requests[0].asked.thread == 0 && post.requests[0].answered.thread == 1)
      #expect(post.completed.thread == 1)
    }
  }

  /// The completion comes from within the answer: what the post left is known before that has returned.
  @Test func `an answer that has not returned is waited for`() throws {
    let time = SimulatedTime()
    let recorder = PostRecorder(capacity: 2, clock: time.clock)
    record(recorder)
    time.at(time.now + 400_000) { recorder.hasAnswered(0) }
    let post = try #require(recorder.trace(asksAtOnce: true))
    #expect(post.requests[0].answerReturned > post.requests[0].answered.nanoseconds)
    record(recorder)
    #expect(recorder.trace(asksAtOnce: true) == nil)
  }

  @Test func `a post beyond the capacity is not recorded`() {
    let recorder = PostRecorder(capacity: 1, clock: FakeClock().clock)
    _ = recorder.begin { _ in }
    for number in 0..<2 {
      #expect(recorder.willAsk(number) == number)
      recorder.hasAsked(number)
      recorder.isAnswered(number)
      recorder.hasAnswered(number)
    }
    #expect(recorder.trace(asksAtOnce: true) == nil)
  }
}
