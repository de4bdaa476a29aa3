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
  ///
  /// - Parameters:
  ///   - timeoutNanoseconds: how long a post may take, whatever its scenario lets it wait for; nil: as in a run.
  ///   - isOver: asked before each sample; `isLate` while one is waited for.
  static func run(
    _ contender: String, _ scenarios: [Scenario], timeoutNanoseconds: UInt64? = nil,
    isOver: @escaping () -> Bool, isLate: @escaping @Sendable () -> Bool
  ) -> Result {
    var result = Result()
    let plan = RunPlan(run: "verify", contenders: [contender], scenarios: scenarios) { plan in
      plan.generations = 1
      plan.rounds = 1
      plan.warmUpSamples = 2
      plan.countedGenerations = 0
      plan.sampleNanoseconds = 1
      plan.timeoutNanoseconds = timeoutNanoseconds
    }
    let runner = Runner(
      plan: plan, launcher: WorkerCommand.launcher(isLate: isLate),
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
