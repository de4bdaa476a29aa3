import Verdicts
import Foundation
import RawThreads
import Results
import UploadScenario

enum VerifyCommand {
  static let options = [
    Option("--contenders", "A,B", "contenders to verify (all)"),
    Option("--patterns", "P,Q", "patterns to verify (all)"),
    Option(
      "--on", "C", "where completions run: inline, queue or pool (inline)",
      words: CompletionContext.allCases.map(\.rawValue)),
    Option("--seed", "N", "seed of everything random (1)"),
    Option(
      "--budget", "TIME",
      "approximate upper limit (60s); spare time is used for more interleavings and random schedules, or without this option for random schedules until 15s have passed"
    ),
    Option("--replay", "FILE", "only replay a failed interleaving, from the file that verify named"),
    Option("--quiet", nil, "print only what failed or was not tried, and the last line"),
    Option("--endpoint", "URL", "verify on the http service, too, uploading there"),
    Option("--media", "DIR", "compare a store with the photos and videos found in DIR, byte for byte"),
    Option(
      "--store", "DIR", "the store that `\(CommandName.current) run --media DIR --store STORE` filled"),
  ]

  /// Without `--budget`, a verification takes at least this long. Random orders of events are tried in the remaining time.
  private static let usuallyAtLeastNanoseconds: UInt64 = 15_000_000_000

  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try Options(arguments, known: options)
    if let file = options.text("--replay") { return try replay(file, options, known) }
    let chosen = try known.chosen(by: options)
    if options.has("--media") || options.has("--store") { return try verifyStore(options, chosen) }
    let patterns = try ScenarioOptions.patterns(options) ?? Pattern.allCases
    let contexts = try ScenarioOptions.contexts(options)
    if let contexts, contexts.count > 1 {
      throw UsageError("--on takes one context at a time here, such as --on \(contexts[0].rawValue).")
    }
    let context = contexts?.first
    let seed = try options.seed("--seed") ?? 1
    let budget = try options.duration("--budget")
    let isQuiet = options.has("--quiet")
    try reportLeftOut(of: chosen, patterns)

    let endpoint = try options.text("--endpoint").map { try HTTPStore.folder("verify", at: $0, among: known) }
    try Preparation.begin()
    let (start, stopwatch) = (MonotonicClock.nanoseconds(), Stopwatch())
    let nanoseconds = budget ?? 60_000_000_000
    // An exploration runs on one thread, so it supports only completions that run inline.
    let exploring = known.explore == nil || context ?? .inline != .inline ? 0 : nanoseconds / 8
    let verification = Verification(
      chosen, patterns, endpoint: endpoint, on: context, seed: seed,
      budgetNanoseconds: nanoseconds - exploring, isQuiet: isQuiet, print: { Terminal.print($0) })
    // With `--budget`, most of the remaining time is used for interleavings.
    var left: UInt64 = 0
    do {
      try verification.runOnce()
      let now = MonotonicClock.nanoseconds()
      left = budget == nil ? 0 : start + nanoseconds - min(now, start + nanoseconds)
      let end =
        budget == nil ? start + usuallyAtLeastNanoseconds : exploring > 0 ? now + left / 8 : .max
      try verification.runSchedules(until: end)
    } catch {
      Terminal.print(
        summary(verification.totals, seed: seed, seconds: stopwatch.seconds, isOver: false) + "\n")
      throw error
    }
    var totals = verification.totals
    if exploring > 0 {
      let report = try explored(
        chosen.map(\.name), patterns, seed: seed, nanoseconds: max(exploring, left - left / 8))
      if !isQuiet || !report.findings.isEmpty || report.wasCutShort { Terminal.print(report.text) }
      if report.wasCutShort { totals.cutShort += 1 }
      totals.interleavings = report.schedules
      totals.violations += report.findings.count
    }
    Terminal.print("\(isQuiet ? "" : "\n")\(summary(totals, seed: seed, seconds: stopwatch.seconds))\n")
    return exitCode(totals)
  }

  /// Explores in two processes of one thread each. Each process takes every other contender.
  private static func explored(
    _ contenders: [String], _ patterns: [Pattern], seed: UInt64, nanoseconds: UInt64
  ) throws -> ExplorationReport {
    let halves = [0, 1].map { half in contenders.indices.filter { $0 & 1 == half }.map { contenders[$0] } }
      .filter { !$0.isEmpty }
    let results = halves.concurrentMap { half in
      Result {
        try ExplorationRequest(
          contenders: half, patterns: patterns, seed: seed, budget: .nanoseconds(Int64(nanoseconds)),
          replaying: nil
        ).report(orElse: Verification.interrupted)
      }
    }
    return try results.reduce(into: ExplorationReport { _ in }) {
      $0.add(try $1.get())
    }
  }

  /// Names the contenders that implement none of the patterns. Throws if no contender implements any of them.
  private static func reportLeftOut(of named: [any Contender], _ patterns: [Pattern]) throws {
    let left = named.filter { Set($0.patterns).isDisjoint(with: patterns) }
    if left.isEmpty { return }
    let names = left.map(\.name).joined(separator: ", ")
    let why = "implements \(patterns.map(\.rawValue).joined(separator: ", "))"
    guard left.count < named.count else { throw UsageError("none of \(names) \(why).") }
    Terminal.remark("left out, as none of them \(why): \(names)")
  }

  private static func replay(_ file: String, _ options: Options, _ known: ContenderList) throws -> ExitCode {
    if let given = options.firstGiven(Self.options.map(\.name).filter { $0 != "--replay" }) {
      throw UsageError("--replay and \(given) exclude each other: the file decides what runs.")
    }
    guard known.explore != nil else {
      throw UsageError("this executable cannot replay: its `Bench.main` has no `explore:`.")
    }
    try Preparation.begin()
    let report = try ExplorationRequest(
      contenders: [], patterns: Pattern.allCases, seed: 1, budget: .seconds(10),
      replaying: URL(fileURLWithPath: file).path
    ).report(orElse: "the interleaving was not replayed to its end")
    if report.wasCutShort { throw Interrupted("the interleaving did not end in time") }
    guard let finding = report.findings.first else {
      Terminal.print("the interleaving of \(SafeText.visible(file)): passed\n")
      return .fine
    }
    guard report.schedules > 0 else { throw FileProblem("\(finding).") }
    Terminal.print("\(finding)\n")
    return .contenderFailed
  }

  static func exitCode(_ totals: Verification.Totals) -> ExitCode {
    totals.violations > 0 ? .contenderFailed : totals.cutShort > 0 ? .inconclusive : .fine
  }

  /// - Parameter isOver: whether the verification reached its end without interruption.
  static func summary(
    _ totals: Verification.Totals, seed: UInt64, seconds: Double, isOver: Bool = true
  ) -> String {
    let verdict =
      switch totals.violations {
      case 0: isOver && totals.cutShort == 0 ? "all passed" : "nothing failed"
      case let failed: "\(failed) failed"
      }
    let untried = totals.untried == 0 ? "" : ", nothing in \(totals.untried) of them"
    let advice = [
      totals.violations == 0 ? nil : "fix what failed",
      totals.starved == 0
        ? nil : "stop other programs (see `top`), which had the processors most of the time",
      totals.cutShort == totals.cutShortByFailure ? nil : "give a longer --budget",
    ].compactMap(\.self).joined(separator: ", or ")
    let cut =
      totals.cutShort == 0
      ? ""
      : "; not all was tried in \(Plural.counted(totals.cutShort, "row"))\(untried): \(advice)"
    let done = [
      (totals.rules, "rule", ""), (totals.schedules, "random schedule", ""),
      (totals.checks, "check", " on services"), (totals.interleavings, "interleaving", ""),
    ].filter { $0.0 > 0 }.map { "\(Plural.counted($0, $1))\($2)" }.joined(separator: ", ")
    return
      "\(done.isEmpty ? "nothing was tried" : done) in \(Int(seconds.rounded())) s, seed \(seed): \(verdict)\(cut)"
  }

  private static func verifyStore(_ options: Options, _ chosen: [any Contender]) throws -> ExitCode {
    if let given = options.firstGiven(["--patterns", "--on", "--seed", "--budget", "--endpoint"]) {
      throw UsageError(
        "--media and \(given) exclude each other: --media only compares a store with its media files."
      )
    }
    guard let media = options.text("--media"), let store = options.text("--store") else {
      throw UsageError("verifying a store needs both --media DIR and --store DIR.")
    }
    let report = try Store.verify(
      directory: store, media: media, contenders: chosen.map(\.name), areNamed: options.has("--contenders"))
    for difference in report.differences { Terminal.complain(difference) }
    Terminal.print(
      "\(Plural.counted(report.objects, "object")) of \(report.compared.joined(separator: ", ")) compared with \(SafeText.visible(media)): "
        + "\(report.differences.count) \(report.differences.count == 1 ? "differs" : "differ")\n")
    return report.differences.isEmpty ? .fine : .contenderFailed
  }
}
