import Analysis
import Harness

/// Whether a run costs more than a recorded one: another recorded one, or one of this build that is measured now.
enum BaselineCheck {
  static func report(_ options: Options, _ known: ContenderList, _ output: CheckOutput) throws -> CheckReport
  {
    let options = try BaselineOptions(options)
    let candidate = try options.candidate ?? measured(options, known, output)
    return CheckReport(
      try RecordedComparison(base: options.baseline, candidate: candidate, options.terms), isGate: true)
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
