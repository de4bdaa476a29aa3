import Analysis
import Harness

/// Whether a run costs more than a recorded one: another recorded one, or one of this build that is measured now.
enum BaselineCheck {
  static func report(_ options: Options, _ known: ContenderList, _ output: CheckOutput) throws -> CheckReport
  {
    let options = try BaselineOptions(options)
    if options.candidate == nil { try refuseWhatCannotDecide(options) }
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
      "\(baseline.name) cannot decide anything\(reason). Record it again, for longer, with `\(CommandName.invocation) run --name baseline`."
    )
  }

  private static func measured(_ options: BaselineOptions, _ known: ContenderList, _ output: CheckOutput)
    throws -> RecordedRun
  {
    guard Environment.isReleaseBuild else {
      throw UsageError.debugBuild(.check, or: "--candidate")
    }
    return try BaselineMeasurement(options, known: known).measure(output)
  }
}

/// Nothing can be decided: why, and what to do.
struct Undecidable: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
