import Foundation
import Harness
import UploadScenario

/// Whom one side of a check really starts, by the name that the contender has in the check.
///
/// The twin is the candidate on both sides: what is found between them is a false alarm. The slowed twin is the candidate
/// made slower on one side: what is not found there would not be found elsewhere.
struct DuetLauncher: WorkerLauncher {
  static let twin = " (twin)"
  static let slowed = " (slowed)"

  let side: DuetSide
  /// The other build's executable.
  let base: URL
  let measure: DuetPlan<Scenario>.Measure
  /// By how much the slowed twin is slower in that, as a share.
  let slowDown: Double
  /// What this build pretends to be slower in.
  let plant: Plant?
  let placement: Placement
  /// How long everything is to take.
  let budgetNanoseconds: UInt64

  static func contender(of name: String) -> String {
    name.replacing(twin, with: "").replacing(slowed, with: "")
  }

  func launch(contender name: String) throws(WorkerFailure) -> any WorkerHandle<Scenario> {
    let isProof = name.hasSuffix(Self.twin) || name.hasSuffix(Self.slowed)
    let contender = Self.contender(of: name)
    var arguments = [Subcommand.worker.rawValue, "--contender", contender]
    if name.hasSuffix(Self.slowed), side == .candidate {
      arguments += ["--slow-down-\(measure.rawValue)", "\(slowDown)"]
    } else if !isProof, side == .candidate, let plant, plant.contenders?.contains(contender) ?? true {
      arguments += ["--slow-down-\(measure.rawValue)", "\(plant.share)"]
      if let scenarios = plant.scenarios {
        arguments += ["--slow-down-in", scenarios.sorted().joined(separator: ",")]
      }
    }
    return try WorkerProcessLauncher<Scenario>(
      executable: side == .base && !isProof ? base : WorkerCommand.executable,
      arguments: { [arguments] _ in arguments }, placement: placement,
      budgetSeconds: Int(clamping: budgetNanoseconds / 1_000_000_000),
      isInterrupted: { Interruption.isRequested }
    ).launch(contender: contender)
  }
}

/// A slow-down that is not there, to see what a check makes of it.
struct Plant: Hashable {
  /// Of what is measured.
  let share: Double
  /// In whom; nil: in all.
  let contenders: Set<String>?
  /// In what; nil: in everything.
  let scenarios: Set<String>?
}
