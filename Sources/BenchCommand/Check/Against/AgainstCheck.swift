import Analysis
import Foundation
import Harness
import Results
import UploadScenario

/// Whether this build costs more than another one: both measured by turns, here and now.
enum AgainstCheck {
  /// - Throws: `Interrupted`, if the user ended it; likewise the other checks.
  static func report(_ options: Options, _ known: ContenderList, _ output: CheckOutput) throws -> CheckReport
  {
    let options = try AgainstOptions(options, known: known)
    guard Environment.isReleaseBuild || options.allowsDebugBuild else {
      throw UsageError.debugBuild(.check)
    }
    // Before the other commit is built: that takes a while.
    if let path = options.recordPath, FileManager.default.fileExists(atPath: path) {
      throw ResultsError.exists(path: path, option: DuetRound.option)
    }
    let base = try OtherBuild(
      options.against, allowsDirty: options.allowsDirty, progress: output.progress)
    let cells = Self.cells(options, base, progress: output.progress)
    guard !cells.isEmpty else {
      throw BaselineProblem(
        "\(base.name) knows none of these contenders and scenarios: there is nothing to compare.")
    }
    let record = try options.recordPath.map(CSVWriter<DuetRound>.init(creating:))
    let session = DuetSession(options, base: base, cells: cells, record: record)
    output.progress(session.announcement)
    guard try session.run() else {
      throw Interrupted(
        "nothing was compared" + (record.map { "; the rounds until then are in \($0.path)" } ?? ""))
    }
    try record?.close()
    return session.report
  }

  /// What both builds know; what only this one does is said.
  private static func cells(_ options: AgainstOptions, _ base: OtherBuild, progress: (String) -> Void)
    -> [CellKey]
  {
    for name in options.scenarios.map(\.name) where !base.scenarios.contains(name) {
      progress("\(name) is left out: \(base.name) does not know it")
    }
    for name in options.contenders.map(\.name) where !base.contenders.contains(name) {
      progress("\(name) is left out: \(base.name) does not know it")
    }
    return options.scenarios.filter { base.scenarios.contains($0.name) }.flatMap { scenario in
      options.contenders.filter {
        base.contenders.contains($0.name) && $0.patterns.contains(scenario.pattern)
      }.map {
        CellKey(contender: $0.name, scenario: scenario.name)
      }
    }
  }
}
