import Conformance
// Foundation has a `Progress`, too.
import struct Conformance.Progress
import Foundation
import Harness
import UploadScenario

/// One contender's worker process under the kit: a line for the begin and the end of each rule, and a last one.
enum ConformanceWorker {
  static let lastWord = "done"
  /// As many uploads at once as a minute for all contenders allows; the tests have other ways to more.
  private static let mostUploads = 70_000

  static let options = [
    Option("--examine", "NAME", "the contender to verify"),
    Option("--pattern", "P", "the pattern"),
    Option("--rules", "A,B", "the rules"),
    Option("--seed", "N", "what everything random is drawn from"),
    Option("--schedules", "N", "how many random schedules to try"),
    Option("--milliseconds", "N", "for how long to begin anything new"),
    Option("--first-look", nil, "try only what takes next to no time"),
    Option("--patience", "TIME", "how long nothing may happen before a job counts as hung (20s)"),
  ]

  /// The parent's side of the options.
  static func arguments(
    of run: ConformanceRun, rules: [String], schedules: Int, milliseconds: Int, timeoutSeconds: Int,
    isFirstLook: Bool
  ) -> [String] {
    [
      Subcommand.worker.rawValue, "--examine", run.contender, "--pattern",
      run.pattern.rawValue, "--rules", rules.joined(separator: ","), "--seed",
      "\(run.seed)", "--schedules", "\(schedules)", "--milliseconds", "\(milliseconds)",
      "--patience", "\(timeoutSeconds)s",
    ] + (isFirstLook ? ["--first-look"] : [])
  }

  static func serve(_ contender: any Contender, _ options: Options) throws -> Never {
    guard let pattern = options.text("--pattern").flatMap(Pattern.init) else {
      throw UsageError("--examine needs --pattern.")
    }
    let names = try options.list("--rules") ?? []
    let budget = try options.integer("--milliseconds", in: 0...1_000_000_000) ?? 0
    let isFirstLook = options.has("--first-look")
    let kit = Conformance(
      of: contender, seed: try options.seed("--seed") ?? 1,
      patience: .nanoseconds(Int64(try options.duration("--patience") ?? 20_000_000_000)),
      schedules: try options.integer("--schedules", in: 0...1_000_000) ?? 0,
      mostUploads: isFirstLook ? 300 : mostUploads, countsLeftovers: !isFirstLook, isFirstLook: isFirstLook)
    WorkerLoop.work("examiner") {
      _ = kit.violations(
        in: [pattern], rules: Rule.all.filter { names.contains($0.name) }, budget: .milliseconds(budget),
        progress: say)
      try? WorkerOutput.say(Data(lastWord.utf8))
      // Not `exit`: a contender's threads may still be running.
      _exit(0)
    }
  }

  private static func say(_ progress: Progress) {
    guard let line = try? JSONEncoder().encode(progress) else { return }
    try? WorkerOutput.say(line)
  }
}
