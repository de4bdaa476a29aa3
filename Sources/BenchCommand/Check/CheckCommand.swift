import Analysis
import Foundation
import Harness
import RawThreads
import Statistics
import UploadScenario

/// Whether this build costs more than another one: both measured by turns, here and now.
enum CheckCommand {
  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try CheckOptions(arguments, known: known)
    guard Environment.isReleaseBuild || options.allowsDebugBuild else {
      throw UsageError(
        "this is a debug build, whose times say nothing. Build with `swift run -c release \(CommandName.current) check`, "
          + "or give --allow-debug-build to see the mechanics.")
    }
    Interruption.listen()
    func progress(_ text: String) {
      if !options.isQuiet { Terminal.note("\(CommandName.current): \(text)\n") }
    }
    let base = try OtherBuild(options.against, progress: progress)
    let cells = Self.cells(options, base, progress: progress)
    guard !cells.isEmpty else {
      throw BaselineProblem(
        "\(base.name) knows none of these contenders and scenarios: there is nothing to compare.")
    }
    let session = CheckSession(options, base: base, cells: cells)
    guard try session.run() else { return Interruption.exitCode ?? .interrupted }
    let report = session.report
    Terminal.print(try text(report, options.format))
    return exitCode(report, options)
  }

  /// What both builds know; what only this one does is said.
  private static func cells(_ options: CheckOptions, _ base: OtherBuild, progress: (String) -> Void)
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

  private static func text(_ report: CheckReport, _ format: CheckOptions.Format) throws -> String {
    switch format {
    case .text: CheckTextReport.text(report, usesColour: Terminal.wantsColour)
    case .markdown: CheckMarkdownReport.text(report)
    case .json: try CheckJSONReport.text(report)
    case .github: CheckAnnotations.text(report)
    }
  }

  static func exitCode(_ report: CheckReport, _ options: CheckOptions) -> ExitCode {
    switch report.verdict {
    case .failed: .contenderFailed
    case .regressed: .regression
    case .inconclusive: options.inconclusiveFails ? .inconclusive : .fine
    case .passed: options.improvementFails && !report.cells(.improved).isEmpty ? .regression : .fine
    }
  }
}
