import Analysis
import Results

/// What `bench check --baseline` is told.
struct BaselineOptions {
  static let options =
    [
      Option(
        "--baseline", "DIR",
        "a recorded run: large changes of its times (--margin 25%), any of its exact counts"),
      Option("--candidate", "DIR", "the recorded run to hold against it (measured now, as the baseline was)"),
      Option("--output", "DIR", "keep what is measured now in a run directory there (it is removed)"),
      Option("--allow-dirty", nil, "take a baseline that was recorded with changes that its commit lacks"),
    ] + RecordedTerms.options

  let baseline: RecordedRun
  /// nil: it is measured now.
  let candidate: RecordedRun?
  let terms: RecordedComparison.Terms
  let output: String?

  /// - Parameter options: with --baseline.
  init(_ options: Options) throws {
    output = options.text("--output")
    if options.has("--candidate"), output != nil {
      throw UsageError("--output keeps what is measured now, and --candidate was measured before.")
    }
    baseline = try RecordedRun.read(options.text("--baseline") ?? "")
    try Self.check(baseline, allowsDirty: options.has("--allow-dirty"))
    candidate = try options.text("--candidate").map(RecordedRun.read)
    terms = try RecordedTerms.terms(options, runs: [baseline] + [candidate].compactMap(\.self))
  }

  /// A baseline that others are to be held against for a long time must be worth it.
  private static func check(_ baseline: RecordedRun, allowsDirty: Bool) throws {
    if baseline.environment.buildConfiguration == "debug" {
      throw BaselineProblem(
        "\(baseline.name) was recorded by a debug build, whose times say nothing. Record it with `swift run -c release \(CommandName.current) run`."
      )
    }
    if baseline.environment.isDirty == true, !allowsDirty {
      let commit =
        baseline.environment.commit.map { SafeText.neutralised(String($0.prefix(12))) } ?? "unknown"
      throw BaselineProblem(
        "\(baseline.name) was recorded with changes that its commit \(commit) lacks, so nobody can build it again. Record it from a clean tree, or give --allow-dirty."
      )
    }
  }
}
