import Verdicts
@testable import Harness
import Results
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct DoctorWayTests {
  @Test(
    arguments: [
      (true, true, 1, [.costOnOneProcessor, .wallAtRealTime, .wallAsIs]),
      (true, false, 1, [.costOnOneProcessor, .wallAsIs]),
      (false, true, 1, [.costAsIs, .wallAtRealTime, .wallAsIs]),
      (false, false, 1, [.costAsIs, .wallAsIs]), (true, false, nil, [.costAsIs, .wallAsIs]),
      (nil, nil, nil, [.costAsIs, .wallAsIs]),
    ] as [(Bool?, Bool?, Int?, [DoctorMode])])
  func `only permitted placements are tried`(
    oneProcessor: Bool?, realTime: Bool?, lastProcessor: Int?, modes: [DoctorMode]
  ) {
    var machine = MachineRecord()
    machine.isOneProcessorPermitted = oneProcessor
    machine.isRealTimePermitted = realTime
    let ways = DoctorWay.all(machine, lastProcessor: lastProcessor)
    #expect(ways.map(\.mode) == modes)
  }

  @Test func `a mode decides measure and placement`() {
    var machine = MachineRecord()
    machine.isOneProcessorPermitted = true
    machine.isRealTimePermitted = true
    let ways = DoctorWay.all(machine, lastProcessor: 3)
    #expect(ways.map(\.placement) == [.oneProcessor(3), .realTime, .anywhere])
    #expect(ways.map(\.measure) == [.cost, .wall, .wall])
  }
}
