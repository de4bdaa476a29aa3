import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct SampleReplyTests {
  private typealias Counts = LedgerRecord.Counts

  @Test(arguments: [
    // Pattern, finished by request, posts, wasted: media of 100 bytes each.
    (Pattern.publish, [1, 1], 1, 0), (.publish, [1, 0], 0, 100), (.publish, [0, 0], 0, 0),
    (.presigned, [1, 1, 1, 1], 1, 0), (.presigned, [1, 1, 1, 0], 0, 100),
    (.race, [1, 0, 0, 1], 1, 0), (.race, [1, 1, 0, 1], 1, 100), (.race, [1, 1, 1, 1], 0, 400),
    (.resilient, [1, 2], 1, 100),
    (.zip, [1, 1, 1], 1, 0),
  ])
  func `uploads that no post uses are wasted bytes`(
    pattern: Pattern, finished: [Int], posts: Int, wasted: Int
  ) {
    let media = pattern.looksUp ? 0 : 2
    let scenario = Scenario(name: "s", pattern: pattern, photos: media, payloadBytes: 100)
    let post = Post.synthetic(photos: media, videos: 0, payloadBytes: 100, seed: 1)
    let record = LedgerRecord(
      requests: finished.map { Counts(started: 1, finished: $0) }, peakInFlight: 1,
      posts: Array(repeating: [], count: posts))
    #expect(record.wastedBytes(of: scenario.byteCounts(for: post), scenario) == wasted)
  }

  @Test func `an end before the failure counts as zero time`() {
    var reply = SampleReply(outcome: .measured, iterations: 2)
    reply.addStop(from: 100, completion: 90, stop: 95)
    reply.addStop(from: 100, completion: 130, stop: 150)
    #expect(reply.stopping == StoppingTimes(toCompletionNanoseconds: 30, toStopNanoseconds: 50))
  }

  @Test(arguments: [
    (Duration.milliseconds(5), 5_000_000 as UInt64?), (.milliseconds(-5), 0), (.seconds(9), nil),
  ])
  func `a job is expected to end at its deadline`(deadline: Duration, expected: UInt64?) throws {
    var scenario = Scenario(name: "s", pattern: .resilient, service: .latency, photos: 1)
    scenario.latency = .fixed(nanoseconds: 1_000_000_000)
    scenario.retry.deadline = deadline
    let post = Post.synthetic(photos: 1, videos: 0, payloadBytes: 1, seed: 1)
    #expect(try Expectation(scenario: scenario, post: post).deadlineNanoseconds == expected)
  }
}
