import Analysis
import Harness

/// How noisy this machine is, what difference it can resolve, and what to do about it.
enum DoctorCommand {
  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try DoctorOptions(arguments, known: known)
    guard Environment.isReleaseBuild || options.allowsDebugBuild else {
      throw UsageError.debugBuild(.doctor)
    }
    try Preparation.begin()
    guard let readings = try DoctorSession(options: options, known: known).readings() else {
      throw Interrupted("nothing can be said of this machine")
    }
    let report = DoctorReport(readings)
    Terminal.print(try options.format.text(Report(document: report.document, json: report.json)))
    return exitCode(report)
  }

  static func exitCode(_ report: DoctorReport) -> ExitCode {
    if !report.readings.failures.isEmpty { return .contenderFailed }
    return report.resolvesUsualMargin ? .fine : .inconclusive
  }
}
