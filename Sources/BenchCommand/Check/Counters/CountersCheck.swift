import Analysis
import Foundation
import Harness
import Results
import UploadScenario

/// Whether anything allocates or retains more than committed: counted here and now, and compared to the unit.
enum CountersCheck {
  static func report(_ options: Options, _ known: ContenderList, _ output: CheckOutput) throws -> CheckReport
  {
    let options = try CountersOptions(options, known: known)
    guard Environment.isReleaseBuild || (options.allowsDebugBuild && !options.updates) else {
      throw UsageError(
        "this is a debug build, which counts differently. Build with `swift run -c release \(CommandName.current) check`."
      )
    }
    let turns = Turns.best
    guard let key = CountKey.here(turns: turns.name) else {
      throw BaselineProblem(
        "counts are kept by toolchain, and `swift --version` does not say which there is: put the toolchain on the path."
      )
    }
    let isThere = FileManager.default.fileExists(atPath: options.path)
    guard isThere || options.updates else {
      throw BaselineProblem("\(options.path) does not exist. \(command(options.path)) writes it.")
    }
    let file = isThere ? try CountsFile(options.path) : CountsFile(newAt: options.path)
    let plan = try CountersPlan(options, known, section: file.rows(of: key)) {
      let others = file.keys.map(\.description).joined(separator: "; ")
      return BaselineProblem(
        "\(options.path) has no counts of \(key)\(others.isEmpty ? "" : ", only of \(others)"). \(command(options.path)) adds them."
      )
    }
    // Before anything is counted: that takes a while.
    if options.updates { try file.checkWritable() }
    let session = CountersSession(plan, options, turns, progress: output.progress)
    guard session.run() else {
      throw Interrupted(options.updates ? "nothing was written" : "nothing was compared")
    }
    return options.updates
      ? try update(file, key, plan, session) : session.report(against: plan.committed, file: options.path)
  }

  /// Writes the section anew, if everything was counted and proved and something is different.
  private static func update(
    _ file: CountsFile, _ key: CountKey, _ plan: CountersPlan, _ session: CountersSession
  )
    throws -> CheckReport
  {
    let section = plan.section(key, counted: session.cells)
    let committed = section.filter {
      plan.keys.contains(CellKey(contender: $0.contender, scenario: $0.scenario))
    }
    let report = session.report(against: committed, file: file.path)
    guard report.verdict == .passed else { return report }
    let (old, new) = (file.text(), try file.text(replacing: key, with: section))
    let folder = file.missingFolder
    if old != new { try file.write(new) }
    return session.report(
      against: committed, file: file.path, diff: UnifiedDiff.text(from: old, to: new, path: file.path),
      notes: folder.map { ["The folder \($0) was not there and has been created."] } ?? [])
  }

  private static func command(_ path: String) -> String {
    "`\(CommandName.current) check --counters\(path == CountersOptions.usualPath ? "" : " \(path)") --update`"
  }
}

/// How the threads of a worker take turns while they are counted: the stricter, the better it repeats.
struct Turns {
  /// As it stands in the file.
  let name: String
  let placement: Placement

  static var best: Turns {
    let last = Placement.lastProcessor
    let all = [
      last.map { Turns(name: "real-time", placement: .inTurn($0)) },
      last.map { Turns(name: "batch", placement: .oneProcessor($0)) },
    ]
    return all.compactMap(\.self).first { $0.placement.isPermitted }
      ?? Turns(name: "free", placement: .anywhere)
  }
}
