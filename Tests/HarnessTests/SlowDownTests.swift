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
    var lengthening = Lengthening(.cost(0.05), .monotonic)
    lengthening.lengthen(&reply)
    let added = reply.usage.cpuNanoseconds - 2_000_000
    // The process's other threads may add to it, and a reading takes a microsecond.
    #expect(added >= 100_000)
    #expect(reply.wallNanoseconds > 10_000_000)
  }

  @Test func itsShareOfTheTimeOnTheClockIsAdded() {
    var reply = sample()
    // The clock goes on by 100 µs at each reading.
    var lengthening = Lengthening(.wall(0.05), FakeClock(step: 100_000).clock)
    lengthening.lengthen(&reply)
    #expect((10_500_000...10_600_000).contains(reply.wallNanoseconds))
  }

  @Test func whatWasAddedIsNotLengthenedAgain() {
    var reply = sample()
    var lengthening = Lengthening(.wall(0.5), FakeClock(step: 1_000).clock)
    for post in 1...20 {
      lengthening.lengthen(&reply)
      let (posts, sum) = (UInt64(post) * 10_000_000, reply.wallNanoseconds)
      #expect((posts * 3 / 2...posts * 3 / 2 + 1_000).contains(sum), "\(post): \(sum)")
      reply.wallNanoseconds += 10_000_000
    }
  }
}
