import Results
import TestSupport
import Testing

@testable import Harness

@Suite(.ownThread) struct ClockProbeTests {
  @Test(arguments: [1, 25, 41, 4_000_000])
  func `a clock's step and reading time are measured exactly`(step: UInt64) {
    var record = MachineRecord()
    ClockProbe.record(into: &record, clock: FakeClock(step: step).clock, readings: 1_000)
    #expect(record.clockReadingNanoseconds == Double(step))
    #expect(record.clockStepNanoseconds == Double(step))
  }

  @Test func `a clock that stands still has no step`() {
    var record = MachineRecord()
    ClockProbe.record(into: &record, clock: FakeClock(step: 0).clock, readings: 100)
    #expect(record.clockReadingNanoseconds == 0)
    #expect(record.clockStepNanoseconds == nil)
  }
}
