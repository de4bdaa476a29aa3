import Analysis
import Harness
import Results
import UploadScenario

/// How pairs are taken, and where their processes are placed.
struct DoctorWay: Hashable {
  let mode: DoctorMode
  let placement: Placement

  var measure: DuetPlan<Scenario>.Measure { mode.isCost ? .cost : .wall }

  /// All that this machine permits; of cost and of wall times what a check takes comes first.
  static func all(_ machine: MachineRecord, lastProcessor: Int?) -> [DoctorWay] {
    var ways: [DoctorWay] = []
    if machine.isOneProcessorPermitted == true, let lastProcessor {
      ways.append(DoctorWay(mode: .costOnOneProcessor, placement: .oneProcessor(lastProcessor)))
    } else {
      ways.append(DoctorWay(mode: .costAsIs, placement: .anywhere))
    }
    if machine.isRealTimePermitted == true {
      ways.append(DoctorWay(mode: .wallAtRealTime, placement: .realTime))
    }
    return ways + [DoctorWay(mode: .wallAsIs, placement: .anywhere)]
  }
}
