import Verdicts
import Harness
import Results

/// Whether a run costs more than a recorded one: another recorded one, or one of this build that is measured now.
enum BaselineCheck {
  static func report(_ options: Options, _ known: ContenderList, _ output: CheckOutput) throws -> CheckReport
  {
    let options = try BaselineOptions(options, known.aliases)
    if options.candidate == nil { try refuseWhatCannotDecide(options) }
    if let candidate = options.candidate, candidate.isSame(as: options.baseline) {
      return CheckReport(ofRunItself: candidate)
    }
    let candidate = try options.candidate ?? measured(options, known, output)
    return CheckReport(
      try RecordedComparison(base: options.baseline, candidate: candidate, options.terms), isGate: true)
  }

  /// Whoever cannot be compared with itself cannot be compared with anything: that is said before a minute is spent.
  static func refuseWhatCannotDecide(_ options: BaselineOptions) throws {
    let baseline = options.baseline
    let itself = CheckReport(
      try RecordedComparison(base: baseline, candidate: baseline, options.terms), isGate: true)
    guard itself.saysNothing else { return }
    let reason = itself.rows.compactMap(\.reason).first.map { ": \($0)" } ?? ""
    throw Undecidable(
      description:
        "\(baseline.name) cannot decide anything\(reason). Record it again, for longer, with `\(CommandName.invocation) run --name baseline`."
    )
  }

  private static func measured(_ options: BaselineOptions, _ known: ContenderList, _ output: CheckOutput)
    throws -> RecordedRun
  {
    try UsageError.checkBuild(.check, allowsDebug: false, or: "--candidate")
    return try BaselineMeasurement(options, known: known).measure(output)
  }
}

/// The options that say what of two recorded runs is compared.
enum RecordedTerms {
  /// Smaller changes of a recorded time a shared machine does not decide (Documentation/Checking.md).
  static let usualMargin = 0.25

  static let options = [
    Option("--margin", "SHARE", "the smallest change that matters (25%)"),
    Option("--contenders", "A,B", "only these, by name or glob (all that both runs have)"),
    Option("--scenario", "A,B", "only these scenarios, by name or glob (all that both runs have)"),
    Option("--reference", "NAME", "contender that ratios are taken through (the base's own reference)"),
  ]

  /// - Parameter runs: those whose names are known: the base, and the candidate if it has been recorded.
  static func terms(_ options: Options, runs: [RecordedRun], _ aliases: AliasTable = AliasTable()) throws
    -> RecordedComparison.Terms
  {
    let contenders = runs.flatMap(\.contenders).unique()
    let reference = try options.text("--reference").map { try aliases.name($0, among: contenders) }
    return RecordedComparison.Terms(
      margin: try options.margin("--margin") ?? usualMargin, reference: reference,
      contenders: try chosen("--contenders", "contender", options, among: contenders, aliases),
      scenarios: try chosen("--scenario", "scenario", options, among: runs.flatMap(\.scenarios).unique()))
  }

  /// What a list of names and globs stands for; nil without the option.
  static func chosen(
    _ name: String, _ kind: String, _ options: Options, among known: [String],
    _ aliases: AliasTable = AliasTable()
  ) throws -> Set<String>? {
    try options.list(name).map { Set(try Glob.names($0, kind, among: known, aliases)) }
  }
}
