import Testing
import UploadScenario

@testable import Harness

@Suite struct SlowDownTests {
  private func sample() -> SampleReply {
    var reply = SampleReply(outcome: .measured, iterations: 1)
    reply.wallNanoseconds = 10_000_000
    reply.usage.cpuUserNanoseconds = 1_500_000
    reply.usage.cpuSystemNanoseconds = 500_000
    return reply
  }

  @Test func itsShareOfTheProcessorTimeIsAdded() {
    var reply = sample()
    SlowDown.cost(0.05).lengthen(&reply, .monotonic)
    let added = reply.usage.cpuNanoseconds - 2_000_000
    // The process's other threads may add to it, and a reading takes a microsecond.
    #expect(added >= 100_000)
    #expect(reply.wallNanoseconds > 10_000_000)
  }

  @Test func itsShareOfTheTimeOnTheClockIsAdded() {
    var reply = sample()
    // The clock goes on by 100 µs at each reading.
    SlowDown.wall(0.05).lengthen(&reply, FakeClock(step: 100_000).clock)
    #expect((10_500_000...10_600_000).contains(reply.wallNanoseconds))
  }
}
