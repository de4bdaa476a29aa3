import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct SlowDownTests {
  private func sample() -> SampleReply {
    var reply = SampleReply(outcome: .measured, iterations: 1)
    reply.wallNanoseconds = 10_000_000
    reply.usage.cpuUserNanoseconds = 1_500_000
    reply.usage.cpuSystemNanoseconds = 500_000
    return reply
  }

  @Test func `a CPU slow-down adds its share of CPU time`() {
    var reply = sample()
    SlowDown.cost(0.05).lengthen(&reply, added: 0, .monotonic)
    let added = reply.usage.cpuNanoseconds - 2_000_000
    // The process's other threads may add to it, and a reading takes a microsecond.
    #expect(added >= 100_000)
    #expect(reply.wallNanoseconds > 10_000_000)
  }

  @Test func `a wall slow-down adds its share of wall time`() {
    var reply = sample()
    // The clock goes on by 100 µs at each reading.
    SlowDown.wall(0.05).lengthen(&reply, added: 0, FakeClock(step: 100_000).clock)
    #expect((10_500_000...10_600_000).contains(reply.wallNanoseconds))
  }

  @Test func `a slow-down of both adds to both times`() {
    var reply = sample()
    SlowDown.both(0.05).lengthen(&reply, added: 0, .monotonic)
    #expect(reply.usage.cpuNanoseconds - 2_000_000 >= 100_000)
    // Not what the processor took.
    #expect(reply.wallNanoseconds == 10_500_000)
  }

  @Test func `added posts are part of the share`() {
    #expect(SlowDown.wall(0.05).wholePosts(of: 30) == 1)
    var reply = sample()
    reply.iterations = 30
    // 31 posts in 31 ms; 30 of them and 5 % are 31.5 ms.
    reply.wallNanoseconds = 31_000_000
    SlowDown.wall(0.05).lengthen(&reply, added: 1, FakeClock(step: 10_000).clock)
    #expect((31_500_000...31_510_000).contains(reply.wallNanoseconds), "\(reply.wallNanoseconds)")
  }

  @Test func `nothing is added to a sample that is long enough`() {
    var reply = sample()
    reply.iterations = 20
    SlowDown.wall(0.05).lengthen(&reply, added: 1, FakeClock(step: 10_000).clock)
    #expect(reply.wallNanoseconds == 10_000_000)
  }
}
