import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct ProcessorTimeTests {
  @Test func `the kernel's processor times are parsed`() {
    let time = ProcessorTime.time(inStat: "cpu  10 2 3 400 50 6 7 8 9 1")
    // user + nice + system + irq + softirq, idle + iowait, steal, in ticks of 10 ms.
    #expect(
      time
        == ProcessorTime(
          busyNanoseconds: 280_000_000, idleNanoseconds: 4_500_000_000, stealNanoseconds: 80_000_000))
  }

  @Test(arguments: ["", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8 9 10", "cpu a b c d e f g h i j"])
  func `any other text is unknown`(line: String) { #expect(ProcessorTime.time(inStat: line) == nil) }

  @Test func `a difference covers busy, idle and stolen time`() {
    let (start, end) = (
      ProcessorTime(busyNanoseconds: 1, idleNanoseconds: 2, stealNanoseconds: 3),
      ProcessorTime(busyNanoseconds: 11, idleNanoseconds: 22, stealNanoseconds: 33)
    )
    #expect(
      end.since(start) == ProcessorTime(busyNanoseconds: 10, idleNanoseconds: 20, stealNanoseconds: 30))
    #expect(start.since(end) == nil)
  }
}
