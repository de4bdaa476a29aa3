import Foundation
import Harness
import Results
import UploadScenario

/// Holds every contender against every promise, in worker processes, without timing it.
enum VerifyCommand {
  static let options = [
    Option("--contenders", "A,B", "whom to verify (all)"),
    Option("--patterns", "P,Q", "which patterns (all)"),
    Option("--seed", "N", "what everything random is drawn from (1)"),
    Option("--media", "DIR", "compare a store with the photos and videos found in DIR, byte for byte"),
    Option(
      "--store", "DIR", "the store that `\(CommandName.current) run --media DIR --store STORE` has filled"),
  ]

  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try Options(arguments, known: options)
    let chosen = try known.chosen(by: options)
    if options.has("--media") || options.has("--store") { return try verifyStore(options, chosen) }
    let patterns = try ScenarioOptions.patterns(options) ?? Pattern.allCases
    let seed = try options.seed("--seed") ?? 1

    Interruption.listen()
    var violations = 0
    for contender in chosen {
      for pattern in patterns where contender.patterns.contains(pattern) {
        let found = violationsOf(contender.name, Catalog.verification(of: pattern, seed: seed))
        if let code = Interruption.exitCode { return code }
        violations += found.violations.count
        Terminal.print(row(contender.name, pattern, found.checks, found.violations))
      }
    }
    let verdict = violations == 0 ? "every promise was kept" : "\(violations) promises were broken"
    Terminal.print("\n\(chosen.count) contenders × \(patterns.count) patterns, seed \(seed): \(verdict)\n")
    return violations == 0 ? .fine : .contenderFailed
  }

  /// Runs each scenario a few times on one worker, or on a fresh one after a failure.
  private static func violationsOf(_ contender: String, _ scenarios: [Scenario]) -> (
    checks: Int, violations: [String]
  ) {
    var checks = 0
    var violations: [String] = []
    let plan = RunPlan(
      run: "verify", contenders: [contender], scenarios: scenarios, generations: 1, rounds: 1,
      warmUpSamples: 2,
      sampleNanoseconds: 1)
    let runner = Runner(
      plan: plan, launcher: WorkerCommand.launcher(), isInterrupted: { Interruption.isRequested },
      record: { sample in
        checks += 1
        if sample.outcome != .measured {
          violations.append("\(sample.scenario): \(sample.reason ?? sample.outcome.rawValue)")
        }
      })
    do { _ = try runner.run() } catch { violations.append("\(error)") }
    return (checks, violations)
  }

  private static func row(_ contender: String, _ pattern: Pattern, _ checks: Int, _ violations: [String])
    -> String
  {
    let head =
      contender.padding(toLength: 20, withPad: " ", startingAt: 0)
      + pattern.rawValue.padding(toLength: 10, withPad: " ", startingAt: 0)
    if violations.isEmpty { return "\(head)kept (\(checks) checks)\n" }
    return "\(head)BROKEN\n" + violations.map { "    \($0)\n" }.joined()
  }

  private static func verifyStore(_ options: Options, _ chosen: [any Contender]) throws -> ExitCode {
    guard let media = options.text("--media"), let store = options.text("--store") else {
      throw UsageError("verifying a store needs both --media DIR and --store DIR.")
    }
    let report = try Store.verify(
      directory: store, media: media, contenders: chosen.map(\.name), areNamed: options.has("--contenders"))
    for difference in report.differences { Terminal.complain(difference) }
    Terminal.print(
      "\(report.objects) objects of \(report.compared.joined(separator: ", ")) compared with \(media): "
        + "\(report.differences.count) differ\n")
    return report.differences.isEmpty ? .fine : .contenderFailed
  }
}
