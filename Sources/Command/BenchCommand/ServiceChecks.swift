import Harness
import Results
import UploadScenario

/// Scenarios on the real services, each held against what it promises.
struct ServiceChecks {
  /// How many scenarios' posts were checked, and what differed from the expectation.
  struct Result {
    var checks = 0
    var violations: [String] = []
    /// Time ran out before all were checked.
    var isCutShort = false
  }

  /// Runs each scenario a few times on one worker, or on a fresh one after a failure.
  static func run(
    _ contender: String, _ scenarios: [Scenario], isOver: @escaping () -> Bool
  ) -> Result {
    var result = Result()
    let plan = RunPlan(run: "verify", contenders: [contender], scenarios: scenarios) { plan in
      plan.generations = 1
      plan.rounds = 1
      plan.warmUpSamples = 2
      plan.countedGenerations = 0
      plan.sampleNanoseconds = 1
    }
    let runner = Runner(
      plan: plan, launcher: WorkerCommand.launcher(),
      isInterrupted: { Interruption.isRequested || isOver() },
      record: { sample in
        result.checks += 1
        if sample.outcome != .measured {
          result.violations.append("\(sample.scenario): \(sample.reason ?? sample.outcome.rawValue)")
        }
      })
    do { result.isCutShort = try !runner.run() } catch { result.violations.append("\(error)") }
    return result
  }
}
