import RawThreads
import Results
import TestSupport
import Testing
import UploadScenario

@testable import Harness

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
