import Foundation
import Harness
import Results

/// One who takes part in a check: a contender, or one of the two controls that prove the check with it.
struct DuetParticipant: Hashable {
  let contender: String
  var role = DuetRound.Role.subject

  /// What the harness calls it, which tells nothing but names apart.
  var name: String { contender + (role.name.map { " (\($0))" } ?? "") }
}

/// What one side of a check really starts for a participant.
///
/// The A/A control is the candidate on both sides: what is found between them is a false alarm. The positive control is the
/// candidate made slower on one side: what is not found there would not be found elsewhere.
struct DuetLauncher<Work: Workload>: WorkerLauncher {
  let side: DuetSide
  let bases: [URL]
  var candidates = [WorkerCommand.executable]
  var turns = LayoutTurns(seed: 1)
  let measure: DuetMeasure
  let slowDown: Double
  let injected: InjectedSlowDown?
  let placement: Placement
  /// How long everything is to take.
  let budgetNanoseconds: UInt64
  /// What a worker is told whose samples are a contender's.
  var workerOption = "--contender"

  /// Those that are no contenders, by their names.
  var controls: [String: DuetParticipant] = [:]

  func launch(contender name: String) throws(WorkerFailure) -> any WorkerHandle<SampleRequest<Work>> {
    let participant = controls[name] ?? DuetParticipant(contender: name)
    let isBase = side == .base && participant.role == .subject
    let options = options(for: participant)
    let launcher: WorkerProcessLauncher<SampleRequest<Work>> = WorkerCommand.launcher(
      of: turns.next(of: isBase ? bases : candidates), placement: placement,
      budgetNanoseconds: budgetNanoseconds, options: { [options] _ in options })
    return try launcher.launch(contender: participant.contender)
  }

  /// What a worker is told behind its subcommand: both sides the same, but for the share.
  ///
  /// Options become texts on the heap, and what comes after them lies elsewhere: callbacks were 2 % faster with a slow-down
  /// of 0.1 % than without the option.
  func options(for participant: DuetParticipant) -> [String] {
    var share = 0.0
    if side == .candidate {
      switch participant.role {
      case .subject where injected?.contenders?.contains(participant.contender) ?? true:
        share = injected?.share ?? 0
      case .positiveControl: share = slowDown
      default: break
      }
    }
    var options = [workerOption, participant.contender, "--slow-down-\(measure.rawValue)", "\(share)"]
    if participant.role == .subject, let scenarios = injected?.scenarios {
      options += ["--slow-down-in", scenarios.sorted().joined(separator: ",")]
    }
    return options
  }
}

/// A slow-down that is not there, to see what a check makes of it.
struct InjectedSlowDown: Hashable {
  let share: Double
  let contenders: Set<String>?
  let scenarios: Set<String>?
}
