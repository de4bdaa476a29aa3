import Verdicts
import Harness
import RawThreads
import Results

/// What the machine is like while a run is measured, as far as it bears on every number: how many processors there are, what a
/// control group allows of them, and what others take.
struct RunConditions {
  private let start = MonotonicClock.nanoseconds()
  private let watch: DisturbanceWatch
  private let machine: MachineRecord

  init(_ files: MachineFiles = .here) {
    machine = MachineProbe(files).record()
    watch = DisturbanceWatch(files)
  }

  /// Before anything is measured: what is known then is known of a run that is killed, too.
  func record(into environment: inout EnvironmentRecord) { note(machine, in: &environment) }

  /// Once everything is measured, and no worker is left.
  func end(into environment: inout EnvironmentRecord) {
    let known = DoctorReadings.conditions(of: machine)
    environment.warnings.removeAll(where: known.contains)
    note(sinceStart, in: &environment)
  }

  /// What of it bears on what was measured until now: a line each.
  var lines: [String] { DoctorReadings.conditions(of: sinceStart) }

  private var sinceStart: MachineRecord {
    var machine = machine
    watch.record(
      into: &machine, elapsedNanoseconds: MonotonicClock.nanoseconds() - start,
      processors: machine.processorsOnline ?? 1)
    return machine
  }

  private func note(_ machine: MachineRecord, in environment: inout EnvironmentRecord) {
    environment.processorsAllowed = machine.processorsAllowed
    if case .at(let processors) = machine.processorQuota { environment.processorQuota = processors }
    environment.throttledShare = machine.throttledShare
    environment.othersShare = machine.othersShare
    environment.warnings += DoctorReadings.conditions(of: machine)
  }
}
